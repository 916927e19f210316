//! An office in the portal: changes, and checks of their results.

use std::io;

use serde_json::{Value, json};

use crate::{http::Answer, server_process::Portal};

const JSON: (&str, &str) = ("content-type", "application/json");
const TUS: (&str, &str) = ("tus-resumable", "1.0.0");

/// An office with one client.
pub(crate) struct Office {
    pub(crate) portal: Portal,
    pub(crate) client: String,
}

/// The outcome of a change. `None`: the connection broke, and the outcome is unknown.
pub(crate) type Outcome = Option<Answer>;

impl Office {
    pub(crate) fn open() -> Self {
        Self::of(Portal::start())
    }

    pub(crate) fn of(portal: Portal) -> Self {
        let mut office = Self { portal, client: String::new() };
        office.client = office.account("joao@exemplo.com.br");
        office
    }

    /// Creates an account and returns its id.
    pub(crate) fn account(&self, email: &str) -> String {
        let body = json!({"email": email, "password": "senha-de-joao", "email_confirm": true});
        let made = self.send("POST", "/auth/v1/admin/users", &[JSON], body.to_string().as_bytes());
        let made = made.unwrap().json();
        made["id"].as_str().unwrap_or_else(|| panic!("{made}")).to_owned()
    }

    /// Sends a request with the service key.
    pub(crate) fn send(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &[u8],
    ) -> io::Result<Answer> {
        let bearer = format!("Bearer {}", self.portal.service_key);
        let own = [("apikey", self.portal.service_key.as_str()), ("authorization", &bearer)];
        self.portal.ask(method, path, &[&own, headers].concat(), body)
    }

    /// A change that is acknowledged, or whose response never comes.
    fn change(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Outcome {
        let answer = self.send(method, path, headers, body).ok()?;
        // When the disk is gone and the program still runs, its error says that the outcome is unknown.
        if answer.status >= 500 {
            return None;
        }
        assert!(answer.is_success(), "{method} {path}: {answer:?}");
        Some(answer)
    }

    /// Inserts a folder and ignores the response.
    pub(crate) fn insert(&self, id: &str) -> Answer {
        self.try_insert(id).unwrap()
    }

    /// The same for a portal that may have ended.
    pub(crate) fn try_insert(&self, id: &str) -> io::Result<Answer> {
        let row = json!({"id_supabase": id, "name": "Pasta", "icon": "file-text"});
        self.send("POST", "/rest/v1/folders", &[JSON], row.to_string().as_bytes())
    }

    pub(crate) fn insert_folder(&self, id: &str, name: &str) -> Outcome {
        let row = json!({"id_supabase": id, "name": name, "icon": "file-text"});
        self.change("POST", "/rest/v1/folders", &[JSON], row.to_string().as_bytes())
    }

    pub(crate) fn upsert_folder(&self, id: &str, name: &str) -> Outcome {
        let row = json!({"id_supabase": id, "name": name, "icon": "file-text"});
        let prefer = ("prefer", "resolution=merge-duplicates");
        let path = "/rest/v1/folders?on_conflict=id_supabase";
        self.change("POST", path, &[JSON, prefer], row.to_string().as_bytes())
    }

    pub(crate) fn delete_folder(&self, id: &str) -> Outcome {
        self.change("DELETE", &format!("/rest/v1/folders?id_supabase=eq.{id}"), &[], b"")
    }

    /// The rows that a query returns.
    pub(crate) fn rows(&self, question: &str) -> Vec<Value> {
        let answer = self.send("GET", &format!("/rest/v1/{question}"), &[], b"").unwrap();
        assert!(answer.is_success(), "{question}: {answer:?}");
        serde_json::from_slice(&answer.body).unwrap()
    }

    /// The name of the folder with this id, if it exists.
    pub(crate) fn folder(&self, id: &str) -> Option<String> {
        let rows = self.rows(&format!("folders?select=name&id_supabase=eq.{id}"));
        assert!(rows.len() < 2, "{rows:?}");
        rows.first().map(|row| row["name"].as_str().unwrap().to_owned())
    }

    /// The object key of a file with this name.
    pub(crate) fn place(&self, name: &str) -> String {
        format!("public/{}/contratos/{name}", self.client)
    }

    fn object(&self, name: &str) -> String {
        format!("/storage/v1/object/client-documents/{}", self.place(name))
    }

    pub(crate) fn upload(&self, name: &str, bytes: &[u8]) -> Outcome {
        self.change("POST", &self.object(name), &[("content-type", "application/pdf")], bytes)
    }

    /// The same, ignoring the response.
    pub(crate) fn try_upload(&self, name: &str, bytes: &[u8]) -> io::Result<Answer> {
        self.send("POST", &self.object(name), &[("content-type", "application/pdf")], bytes)
    }

    pub(crate) fn replace(&self, name: &str, bytes: &[u8]) -> Outcome {
        let headers = [("content-type", "application/pdf"), ("x-upsert", "true")];
        self.change("POST", &self.object(name), &headers, bytes)
    }

    pub(crate) fn remove(&self, name: &str) -> Outcome {
        self.change("DELETE", &self.object(name), &[], b"")
    }

    /// The bytes of a file, if it exists.
    pub(crate) fn file(&self, name: &str) -> Option<Vec<u8>> {
        let answer = self.send("GET", &self.object(name), &[], b"").unwrap();
        match answer.status {
            200 => Some(answer.body),
            400 => {
                assert_eq!(answer.json()["statusCode"], "404", "{answer:?}");
                None
            }
            _ => panic!("{name}: {answer:?}"),
        }
    }

    /// The document row of a file.
    pub(crate) fn document(&self, name: &str) {
        let row = json!({
            "folder_id_supabase": "contratos", "name": name, "type": "contrato",
            "file_url": self.place(name), "status": "active",
        });
        let row = row.to_string();
        self.change("POST", "/rest/v1/documents", &[JSON], row.as_bytes()).unwrap();
    }

    pub(crate) fn delete_document(&self, name: &str) -> Outcome {
        self.change("DELETE", &format!("/rest/v1/documents?name=eq.{name}"), &[], b"")
    }

    /// Creates a resumable upload and returns its URL.
    pub(crate) fn begin(&self, name: &str, size: usize) -> Option<String> {
        use base64::{Engine, prelude::BASE64_STANDARD as BASE64};
        let metadata = format!(
            "bucketName {},objectName {},contentType {}",
            BASE64.encode("client-documents"),
            BASE64.encode(self.place(name)),
            BASE64.encode("application/pdf"),
        );
        let length = size.to_string();
        let headers = [TUS, ("upload-length", &length), ("upload-metadata", &metadata)];
        let begun = self.change("POST", "/storage/v1/upload/resumable", &headers, b"")?;
        Some(begun.header("location").unwrap().to_owned())
    }

    /// Sends the rest of a resumable upload from an offset on.
    pub(crate) fn resume(&self, address: &str, bytes: &[u8], offset: usize) -> Outcome {
        let at = offset.to_string();
        let headers =
            [TUS, ("upload-offset", &at), ("content-type", "application/offset+octet-stream")];
        self.change("PATCH", address, &headers, &bytes[offset..])
    }

    /// The offset of a resumable upload.
    pub(crate) fn offset(&self, address: &str) -> usize {
        let answer = self.send("HEAD", address, &[TUS], b"").unwrap();
        assert_eq!(answer.status, 200, "{answer:?}");
        answer.header("upload-offset").unwrap().parse().unwrap()
    }
}

/// A PDF of this size, unique for its number.
pub(crate) fn pdf(number: u32, size: usize) -> Vec<u8> {
    let mut state = u64::from(number) + 1;
    let mut bytes = b"%PDF-1.7\n".to_vec();
    while bytes.len() < size {
        // `splitmix64`.
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = state;
        word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bytes.extend_from_slice(&(word ^ (word >> 31)).to_le_bytes());
    }
    bytes.truncate(size);
    bytes
}
