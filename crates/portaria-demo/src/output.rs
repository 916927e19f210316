//! The generated folder: the files of the documents, and `manifest.json`, which describes the whole office.
//!
//! Times in the manifest are relative to the seed, so that "expires in 3 days" is true on every day.

use std::collections::BTreeMap;
use std::path::Path;
use std::{fs, io};

use serde::Serialize;

use crate::documents::documents;
use crate::people::{CLIENTS, FOLDERS, OFFICE};
use crate::tickets::TICKETS;

/// The file that describes the office.
const MANIFEST: &str = "manifest.json";

#[derive(Serialize)]
struct Manifest {
    administrator: Administrator,
    clients: Vec<Client>,
    folders: Vec<Folder>,
    documents: Vec<Document>,
    tickets: Vec<Ticket>,
}

#[derive(Serialize)]
struct Administrator {
    name: &'static str,
    email: &'static str,
}

#[derive(Serialize)]
struct Client {
    name: String,
    email: &'static str,
    /// CNPJ, digits only.
    tax_id: String,
}

#[derive(Serialize)]
struct Folder {
    id_supabase: &'static str,
    name: &'static str,
    icon: &'static str,
    kind: Option<&'static str>,
    position: usize,
}

#[derive(Serialize)]
struct Document {
    /// E-mail address of the client.
    client: &'static str,
    folder_id_supabase: &'static str,
    /// May contain placeholders of the period.
    name: &'static str,
    /// Name of the file beside the manifest.
    file: String,
    extension: &'static str,
    mime_type: &'static str,
    /// MIME type detected from the bytes, if browsers display it inline.
    detected_mime_type: Option<&'static str>,
    status: &'static str,
    /// Day of publication, in days after the seed day.
    published_days: i32,
    /// Local time of publication: `HH:MM:SS`.
    published_time: String,
    /// Due date, in days after the seed day.
    expires_days: Option<i32>,
    /// Kind of slip, of a document that is paid.
    #[serde(skip_serializing_if = "Option::is_none")]
    category: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    payment_line: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pix_code: Option<String>,
}

#[derive(Serialize)]
struct Ticket {
    /// E-mail address of the client.
    client: &'static str,
    subject: &'static str,
    category: &'static str,
    priority: &'static str,
    status: &'static str,
    message: &'static str,
    /// The office's reply.
    answer: Option<&'static str>,
    /// Time of creation, in minutes after the seed.
    created_minutes: i64,
    /// Time of the last change, in minutes after the seed.
    updated_minutes: i64,
}

/// Generates the folder. Returns the bytes of every file by its name, and always the same.
#[must_use]
pub fn generate() -> BTreeMap<String, Vec<u8>> {
    let mut files: BTreeMap<_, _> =
        documents().iter().map(|document| (document.file_name(), document.bytes())).collect();
    let mut manifest =
        serde_json::to_vec_pretty(&manifest()).expect("the manifest has text keys only");
    manifest.push(b'\n');
    files.insert(MANIFEST.into(), manifest);
    files
}

/// Generates the folder on disk. Deletes the files of an earlier generation.
///
/// # Errors
/// The folder cannot be written, or it contains files but no manifest.
pub fn write(folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    let earlier =
        fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<_>>>()?;
    if !earlier.is_empty() && !folder.join(MANIFEST).exists() {
        let text = format!("{} contains other files", folder.display());
        return Err(io::Error::other(text));
    }
    for file in earlier {
        fs::remove_file(file)?;
    }
    for (name, bytes) in generate() {
        fs::write(folder.join(name), bytes)?;
    }
    Ok(())
}

fn manifest() -> Manifest {
    let client = |client: &crate::people::Client| Client {
        name: format!("{} – {}", client.name, client.trade_name),
        email: client.email,
        tax_id: client.cnpj.chars().filter(char::is_ascii_digit).collect(),
    };
    // Every installation has folders at the positions 1 to 3.
    let folder = |(position, folder): (usize, &crate::people::Folder)| Folder {
        id_supabase: folder.id_supabase,
        name: folder.name,
        icon: folder.icon,
        kind: folder.kind,
        position,
    };
    let document = |document: &crate::documents::Document| Document {
        client: CLIENTS[document.client].email,
        folder_id_supabase: document.folder_id_supabase,
        name: document.name,
        file: document.file_name(),
        extension: document.extension(),
        mime_type: document.media_type(),
        detected_mime_type: document.inline_media_type(),
        status: document.status,
        published_days: -document.age,
        published_time: document.time.to_string(),
        expires_days: document.expires,
        category: document.category,
        payment_line: document.payment_line(),
        pix_code: document.pix_code(),
    };
    let ticket = |ticket: &crate::tickets::Ticket| Ticket {
        client: CLIENTS[ticket.client].email,
        subject: ticket.subject,
        category: ticket.category,
        priority: ticket.priority,
        status: ticket.status,
        message: ticket.message,
        answer: Some(ticket.answer).filter(|answer| !answer.is_empty()),
        created_minutes: -ticket.age,
        updated_minutes: ticket.answered_after - ticket.age,
    };
    Manifest {
        administrator: Administrator { name: OFFICE.accountant, email: OFFICE.email },
        clients: CLIENTS.iter().map(client).collect(),
        folders: (4..).zip(&FOLDERS).map(folder).collect(),
        documents: documents().iter().map(document).collect(),
        tickets: TICKETS.iter().map(ticket).collect(),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::fs;
    use std::path::Path;

    use crate::output::{generate, write};

    fn read(folder: &Path) -> BTreeMap<String, Vec<u8>> {
        let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        let name = |path: &Path| path.file_name().unwrap().to_str().unwrap().to_owned();
        entries.map(|path| (name(&path), fs::read(&path).unwrap())).collect()
    }

    #[test]
    fn committed_assets_are_up_to_date() {
        let committed =
            read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../portaria/demo-assets"));
        let generated = generate();
        let advice = "run `cargo xtask demo-assets` and commit the result";
        let names = |files: &BTreeMap<String, Vec<u8>>| files.keys().cloned().collect::<Vec<_>>();
        assert_eq!(names(&committed), names(&generated), "{advice}");
        for (name, bytes) in &generated {
            assert!(committed[name] == *bytes, "{name} differs: {advice}");
        }
    }

    #[test]
    fn write_replaces_an_earlier_generation_and_refuses_other_folders() {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path()).unwrap();
        fs::write(folder.path().join("99-old.pdf"), "old").unwrap();
        write(folder.path()).unwrap();
        assert_eq!(read(folder.path()), generate());

        let other = tempfile::tempdir().unwrap();
        fs::write(other.path().join("thesis.pdf"), "three years of work").unwrap();
        write(other.path()).unwrap_err();
        assert_eq!(read(other.path()).len(), 1);
    }
}
