//! Encryption of a backup target in the age format, version 1 (<https://age-encryption.org/v1>). The program `age` can
//! decrypt the files.
//!
//! A target has an X25519 key pair of its own, so that the slow derivation from a passphrase runs once and not for each
//! file. The target contains the pair, encrypted by the passphrase `backup_key` with scrypt. See
//! `docs/backup-format.md`, section 6.

use std::{
    io::{self, BufReader, Read, Write},
    iter,
};

use age::{
    DecryptError, Decryptor, Encryptor,
    stream::StreamWriter,
    x25519::{Identity, Recipient},
};
use secrecy::{ExposeSecret, SecretString};
use sha2::{Digest, Sha256};

use crate::backup::BackupError;

/// Logarithm of scrypt's work factor for new keys. Fixed, because age would otherwise measure the machine, and a slow
/// machine would produce a weak key.
const WORK_FACTOR: u8 = 17;
/// Logarithm of the maximum work factor that a key file may require.
const MAX_WORK_FACTOR: u8 = 20;

/// The key pair of a backup target.
pub(crate) struct BackupKey {
    identity: Identity,
    recipient: Recipient,
}

impl BackupKey {
    /// Generates a key pair. Returns it and the content of the key file.
    pub(crate) fn generate(key: &SecretString) -> io::Result<(Self, Vec<u8>)> {
        let identity = Identity::generate();
        let mut passphrase = age::scrypt::Recipient::new(key.clone());
        passphrase.set_work_factor(WORK_FACTOR);
        let mut file = Vec::new();
        let mut writer = wrap(&passphrase, &mut file)?;
        writer.write_all(identity.to_string().expose_secret().as_bytes())?;
        writer.write_all(b"\n")?;
        writer.finish()?;
        Ok((Self { recipient: identity.to_public(), identity }, file))
    }

    /// Decrypts a key file.
    pub(crate) fn read(file: &[u8], key: &SecretString) -> Result<Self, BackupError> {
        let mut passphrase = age::scrypt::Identity::new(key.clone());
        passphrase.set_max_work_factor(MAX_WORK_FACTOR);
        let damaged =
            |what: &dyn std::fmt::Display| BackupError::Damaged(format!("its key file: {what}"));
        let opened = Decryptor::new(file)
            .and_then(|decryptor| decryptor.decrypt(iter::once(&passphrase as &dyn age::Identity)));
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
        let identity: Identity = text.trim().parse().map_err(|why: &str| damaged(&why))?;
        Ok(Self { recipient: identity.to_public(), identity })
    }

    /// Returns the salt of chunk names: constant for a target, and secret without its key.
    pub(crate) fn chunk_salt(&self) -> Vec<u8> {
        let secret = self.identity.to_string();
        Sha256::digest(["rows ", secret.expose_secret()].concat()).to_vec()
    }

    /// Returns a writer that encrypts.
    pub(crate) fn encrypt<W: Write>(&self, out: W) -> io::Result<StreamWriter<W>> {
        wrap(&self.recipient, out)
    }

    /// Returns a reader that decrypts.
    pub(crate) fn decrypt<R: Read + Send + 'static>(
        &self,
        from: R,
    ) -> io::Result<Box<dyn Read + Send>> {
        let invalid = |error| io::Error::new(io::ErrorKind::InvalidData, error);
        let decryptor = Decryptor::new_buffered(BufReader::new(from)).map_err(invalid)?;
        let reader = decryptor.decrypt(iter::once(&self.identity as &dyn age::Identity));
        Ok(Box::new(reader.map_err(invalid)?))
    }
}

fn wrap<W: Write>(recipient: &impl age::Recipient, out: W) -> io::Result<StreamWriter<W>> {
    let encryptor = Encryptor::with_recipients(iter::once(recipient as &dyn age::Recipient));
    encryptor.map_err(io::Error::other)?.wrap_output(out)
}
