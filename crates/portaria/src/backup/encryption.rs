//! Encryption of a backup folder, in the format of age (age-encryption.org/v1): the program of that name opens it too.
//!
//! The folder has a key pair of its own, so that each file is encrypted quickly. The pair lies in the folder, encrypted
//! with the operator's key, which costs an attacker a second of work for each guess.

use std::{
    io::{self, BufReader, Read, Write},
    iter,
};

use age::{
    DecryptError, Decryptor, Encryptor,
    secrecy::{ExposeSecret, SecretString},
    stream::StreamWriter,
    x25519::{Identity, Recipient},
};
use sha2::{Digest, Sha256};

use crate::backup::BackupError;

/// The work of one guess, as a power of two. Fixed, so that a slow machine makes no key that is quickly guessed.
const WORK: u8 = 17;
/// More than this a key file cannot ask of us.
const MOST_WORK: u8 = 20;

/// The key pair of a folder.
pub(crate) struct BackupKey {
    opens: Identity,
    closes: Recipient,
}

impl BackupKey {
    /// A new pair, and the text of the file that keeps it.
    pub(crate) fn generate(key: &str) -> io::Result<(Self, Vec<u8>)> {
        let opens = Identity::generate();
        let mut recipient = age::scrypt::Recipient::new(SecretString::from(key.to_owned()));
        recipient.set_work_factor(WORK);
        let mut file = Vec::new();
        let mut writer = wrap(&recipient, &mut file)?;
        writer.write_all(opens.to_string().expose_secret().as_bytes())?;
        writer.write_all(b"\n")?;
        writer.finish()?;
        Ok((Self { closes: opens.to_public(), opens }, file))
    }

    /// The pair that a file keeps.
    pub(crate) fn read(file: &[u8], key: &str) -> Result<Self, BackupError> {
        let mut identity = age::scrypt::Identity::new(SecretString::from(key.to_owned()));
        identity.set_max_work_factor(MOST_WORK);
        let damaged =
            |what: &dyn std::fmt::Display| BackupError::Damaged(format!("its key file: {what}"));
        let opened = Decryptor::new(file)
            .and_then(|decryptor| decryptor.decrypt(iter::once(&identity as &dyn age::Identity)));
        let mut text = String::new();
        match opened {
            Ok(mut reader) => {
                reader.read_to_string(&mut text).map_err(|error| damaged(&error))?;
            }
            Err(
                DecryptError::DecryptionFailed
                | DecryptError::KeyDecryptionFailed
                | DecryptError::NoMatchingKeys,
            ) => {
                return Err(BackupError::WrongKey);
            }
            Err(error) => return Err(damaged(&error)),
        }
        let opens: Identity = text.trim().parse().map_err(|why: &str| damaged(&why))?;
        Ok(Self { closes: opens.to_public(), opens })
    }

    /// What nobody knows who cannot open it, and is always the same.
    pub(crate) fn chunk_salt(&self) -> Vec<u8> {
        let secret = self.opens.to_string();
        Sha256::digest(["rows ", secret.expose_secret()].concat()).to_vec()
    }

    /// Encrypts what is written.
    pub(crate) fn encrypt<W: Write>(&self, out: W) -> io::Result<StreamWriter<W>> {
        wrap(&self.closes, out)
    }

    /// Decrypts what is read.
    pub(crate) fn decrypt<R: Read + Send + 'static>(
        &self,
        from: R,
    ) -> io::Result<Box<dyn Read + Send>> {
        let invalid = |error| io::Error::new(io::ErrorKind::InvalidData, error);
        let decryptor = Decryptor::new_buffered(BufReader::new(from)).map_err(invalid)?;
        let reader = decryptor.decrypt(iter::once(&self.opens as &dyn age::Identity));
        Ok(Box::new(reader.map_err(invalid)?))
    }
}

fn wrap<W: Write>(recipient: &impl age::Recipient, out: W) -> io::Result<StreamWriter<W>> {
    let encryptor = Encryptor::with_recipients(iter::once(recipient as &dyn age::Recipient));
    encryptor.map_err(io::Error::other)?.wrap_output(out)
}
