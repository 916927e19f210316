//! Requests for files: reads, and all operations that clients have no right to.

use serde_json::{Value, json};

use crate::harness::PDF;
use crate::property::generate::{Ask, Maker};

const DOCUMENTS: &str = "client-documents";
const ATTACHMENTS: &str = "ticket-attachments";

impl Maker<'_> {
    pub(crate) fn storage(&mut self) -> Ask {
        let name = self.pool.path(&mut self.rng);
        let bucket = match self.rng.below(100) {
            0..3 => "avatars",
            3..8 => *self.rng.pick(&[DOCUMENTS, ATTACHMENTS]),
            _ if name.starts_with("public/") => DOCUMENTS,
            _ => ATTACHMENTS,
        };
        let path = encoded(&name);
        let mut ask = match self.rng.below(100) {
            0..28 => Ask::new(self.reading(), format!("/storage/v1/object/{bucket}/{path}")),
            28..36 => Ask::new(
                self.reading(),
                format!("/storage/v1/object/authenticated/{bucket}/{path}"),
            ),
            36..40 => {
                Ask::new(self.reading(), format!("/storage/v1/object/public/{bucket}/{path}"))
            }
            40..48 => Ask::new("GET", format!("/storage/v1/object/info/{bucket}/{path}")),
            48..52 => Ask::new(
                self.reading(),
                format!(
                    "/storage/v1/render/image/authenticated/{bucket}/{path}?width=9&quality=50"
                ),
            ),
            52..62 => posted(format!("/storage/v1/object/sign/{bucket}/{path}"), &self.life()),
            62..68 => {
                let names: Vec<String> =
                    (0..=self.rng.below(3)).map(|_| self.pool.path(&mut self.rng)).collect();
                posted(
                    format!("/storage/v1/object/sign/{bucket}"),
                    &json!({"expiresIn": 60, "paths": names}),
                )
            }
            68..80 => posted(format!("/storage/v1/object/list/{bucket}"), &self.listing(&name)),
            80..86 => {
                posted(format!("/storage/v1/object/list-v2/{bucket}"), &self.listing_v2(&name))
            }
            _ => self.changing(bucket, &name),
        };
        if matches!(ask.method, "GET" | "HEAD") {
            self.bytes(&mut ask);
        }
        ask
    }

    fn reading(&mut self) -> &'static str {
        if self.rng.percent(85) { "GET" } else { "HEAD" }
    }

    fn life(&mut self) -> Value {
        self.rng
            .pick(&[
                json!({"expiresIn": 60}),
                json!({"expiresIn": 0}),
                json!({"expiresIn": 1_000_000_000}),
                json!({}),
            ])
            .clone()
    }

    /// Ranges, conditions, download names.
    fn bytes(&mut self, ask: &mut Ask) {
        if self.rng.percent(20) {
            ask.header(
                "range",
                *self.rng.pick(&["bytes=0-3", "bytes=-5", "bytes=5-", "bytes=9000-", "x"]),
            );
        }
        if self.rng.percent(8) {
            ask.header("if-none-match", *self.rng.pick(&["*", "\"x\""]));
        }
        if self.rng.percent(8) {
            ask.header("if-modified-since", "Sat, 21 Nov 2026 15:00:00 GMT");
        }
        if self.rng.percent(10) {
            let name = *self.rng.pick(&["", "nota.pdf", "ção\"\r\n.pdf"]);
            ask.query("download", name);
        }
    }

    /// A prefix to list: the folder of one file or of many.
    fn folder(&mut self, name: &str) -> String {
        let segments: Vec<&str> = name.split('/').collect();
        let folder = segments[..self.rng.below(segments.len())].join("/");
        match self.rng.below(8) {
            0 => format!("{folder}/"),
            1 => folder.to_uppercase(),
            2 => format!("{folder}/../{}", segments.last().unwrap()),
            3 => folder.chars().skip(1).collect(),
            _ => folder,
        }
    }

    fn listing(&mut self, name: &str) -> Value {
        let mut body = json!({"prefix": self.folder(name)});
        if self.rng.percent(40) {
            body["limit"] = json!(*self.rng.pick(&[0, 1, 2, 100, 1_000_000_000]));
        }
        if self.rng.percent(30) {
            body["offset"] = json!(*self.rng.pick(&[0, 1, 3]));
        }
        if self.rng.percent(40) {
            let column =
                *self.rng.pick(&["name", "created_at", "updated_at", "last_accessed_at", "id"]);
            body["sortBy"] = json!({"column": column, "order": *self.rng.pick(&["asc", "desc"])});
        }
        if self.rng.percent(25) {
            body["search"] = json!(*self.rng.pick(&["a", "%", "_", "ção", "PDF", "", "("]));
        }
        body
    }

    fn listing_v2(&mut self, name: &str) -> Value {
        let mut body = json!({"prefix": self.folder(name), "with_delimiter": self.rng.percent(50)});
        if self.rng.percent(40) {
            body["limit"] = json!(*self.rng.pick(&[1, 2, 100]));
        }
        if self.rng.percent(15) {
            body["cursor"] = json!(*self.rng.pick(&["", "x", "cHVibGljLw=="]));
        }
        body
    }

    fn changing(&mut self, bucket: &str, name: &str) -> Ask {
        let path = encoded(name);
        let to = self.pool.path(&mut self.rng);
        let both = json!({"bucketId": bucket, "sourceKey": name, "destinationKey": to});
        match self.rng.below(9) {
            0 => self.upload("POST", bucket, &path),
            1 => self.upload("PUT", bucket, &path),
            2 => {
                let mut ask = posted(
                    format!("/storage/v1/object/{bucket}"),
                    &json!({"prefixes": [name, to]}),
                );
                ask.method = "DELETE";
                ask
            }
            3 => Ask::new("DELETE", format!("/storage/v1/object/{bucket}/{path}")),
            4 => posted("/storage/v1/object/move".to_owned(), &both),
            5 => posted("/storage/v1/object/copy".to_owned(), &both),
            6 => posted(format!("/storage/v1/object/upload/sign/{bucket}/{path}"), &json!({})),
            7 => Ask::new("GET", "/storage/v1/bucket"),
            _ => Ask::new("GET", format!("/storage/v1/bucket/{bucket}")),
        }
    }

    fn upload(&mut self, method: &'static str, bucket: &str, path: &str) -> Ask {
        let mut ask = Ask::new(method, format!("/storage/v1/object/{bucket}/{path}"));
        ask.header("content-type", "application/pdf");
        ask.header("x-upsert", if self.rng.percent(50) { "true" } else { "false" });
        ask.body = Some(PDF.to_vec());
        ask
    }
}

fn posted(path: String, body: &Value) -> Ask {
    Ask { body: Some(body.to_string().into_bytes()), ..Ask::new("POST", path) }
}

/// A URL path: each segment percent-encoded, the slashes kept.
pub(crate) fn encoded(path: &str) -> String {
    use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
    const SEGMENT: &AsciiSet = &NON_ALPHANUMERIC.remove(b'/').remove(b'.').remove(b'-');
    utf8_percent_encode(path, SEGMENT).to_string()
}
