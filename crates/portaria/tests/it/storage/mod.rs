//! The storage API: uploads, access, and deletion.

mod attachments;
mod bad_inputs;
mod buckets;
mod copies;
mod download;
mod files_in_use;
mod garbage_collection;
mod image_cache;
mod images;
mod limits;
mod links;
mod lists;
mod lost_commit;
mod object_keys;
mod public;
mod quota;
mod redirect;
mod s3_outage;
mod sockets;
pub(crate) mod tus;
mod tus_locking;
mod tus_signed;
mod upload;
mod upload_links;
mod wire_compatibility;

use serde_json::{Value, json};

use crate::harness::{
    TestPortal,
    request::{Answer, Request},
};

/// The number of finished and unfinished files on the disk.
fn on_disk(portal: &TestPortal) -> (usize, usize) {
    (
        portal.files_in("blobs").len(),
        portal.files_in("tmp").len() + portal.files_in("uploads").len(),
    )
}

impl TestPortal {
    /// The ids of the resumable uploads that have bytes.
    pub(crate) fn parts(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.folder("uploads")).unwrap();
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }

    /// Appends bytes to a resumable upload, as a crash before the row update would leave them.
    pub(crate) fn append_to_part(&self, name: &str, counted: &str, bytes: &str) {
        let part = self.folder("uploads").join(name);
        if self.bucket.is_some() {
            std::fs::create_dir_all(&part).unwrap();
            std::fs::write(part.join(format!("{:020}", counted.len())), bytes).unwrap();
        } else {
            std::fs::write(part, format!("{counted}{bytes}")).unwrap();
        }
    }
}

/// A request with the service key.
fn office(portal: &TestPortal, method: &str, path: &str) -> Request {
    let key = portal.app.keys.service_role.clone();
    portal.request(method, &format!("/storage/v1/{path}")).bearer(&key)
}

/// Creates a bucket with these `fields`.
pub(crate) async fn bucket(portal: &TestPortal, name: &str, mut fields: Value) {
    fields["name"] = name.into();
    office(portal, "POST", "bucket").json(&fields).send().await.is(200);
}

/// Uploads a text, like the client library.
async fn put(portal: &TestPortal, place: &str, text: &str) -> Answer {
    let request = office(portal, "POST", &format!("object/{place}"));
    request.bytes("text/plain;charset=UTF-8", text.to_owned()).send().await
}

/// The names in a list response.
fn names(list: &Value) -> Vec<&str> {
    list.as_array().unwrap().iter().map(|entry| entry["name"].as_str().unwrap()).collect()
}

/// The body of a list request.
async fn list(portal: &TestPortal, token: &str, bucket: &str, body: Value) -> Value {
    let request = portal.post(&format!("/storage/v1/object/list/{bucket}")).bearer(token);
    let mut wanted = json!({"prefix": ""});
    for (name, value) in body.as_object().unwrap() {
        wanted[name] = value.clone();
    }
    request.json(&wanted).send().await.is(200).json()
}
