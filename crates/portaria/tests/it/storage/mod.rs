//! Files: how they come in, who may read them, and what is left of them.

mod attachments;
mod bad_inputs;
mod buckets;
mod copies;
mod download;
mod garbage_collection;
mod limits;
mod links;
mod lists;
mod lost_commit;
mod object_keys;
mod public;
mod quota;
mod s3_outage;
mod sockets;
pub(crate) mod tus;
mod tus_locking;
mod upload;
mod upload_links;

use serde_json::{Value, json};

use crate::harness::{
    TestPortal,
    request::{Answer, Request},
};

/// How many files there are on the disk: finished, and half written.
fn on_disk(world: &TestPortal) -> (usize, usize) {
    (world.files_in("blobs").len(), world.files_in("tmp").len() + world.files_in("uploads").len())
}

impl TestPortal {
    /// The names of the resumable uploads of which there are bytes.
    pub(crate) fn parts(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.folder("uploads")).unwrap();
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }

    /// Leaves bytes of a resumable upload behind the first ones, as a crash does before they are counted.
    pub(crate) fn leave_in_part(&self, name: &str, counted: &str, bytes: &str) {
        let part = self.folder("uploads").join(name);
        if self.bucket.is_some() {
            std::fs::create_dir_all(&part).unwrap();
            std::fs::write(part.join(format!("{:020}", counted.len())), bytes).unwrap();
        } else {
            std::fs::write(part, format!("{counted}{bytes}")).unwrap();
        }
    }
}

/// A request of a program of the office.
fn office(world: &TestPortal, method: &str, path: &str) -> Request {
    let key = world.app.keys.service_role.clone();
    world.request(method, &format!("/storage/v1/{path}")).bearer(&key)
}

/// Makes a bucket, with what `fields` say.
async fn bucket(world: &TestPortal, name: &str, mut fields: Value) {
    fields["name"] = name.into();
    office(world, "POST", "bucket").json(&fields).send().await.is(200);
}

/// Puts a text into a bucket, as the client library sends one.
async fn put(world: &TestPortal, place: &str, text: &str) -> Answer {
    let request = office(world, "POST", &format!("object/{place}"));
    request.bytes("text/plain;charset=UTF-8", text.to_owned()).send().await
}

/// The names in an answer's list.
fn names(list: &Value) -> Vec<&str> {
    list.as_array().unwrap().iter().map(|entry| entry["name"].as_str().unwrap()).collect()
}

/// What a list of files is asked for.
async fn list(world: &TestPortal, token: &str, bucket: &str, body: Value) -> Value {
    let request = world.post(&format!("/storage/v1/object/list/{bucket}")).bearer(token);
    let mut wanted = json!({"prefix": ""});
    for (name, value) in body.as_object().unwrap() {
        wanted[name] = value.clone();
    }
    request.json(&wanted).send().await.is(200).json()
}
