//! Reading in a process of its own, because a hostile file can exhaust memory and time or crash a library. Such a file
//! costs one process.
//!
//! The parent ([`Reader`]) writes a line of JSON with the request to the child's standard input, and then the file's
//! bytes. The child ([`main`]) limits itself, reads the file, writes one JSON value to standard output, for a photo the
//! pixels behind it, and exits with status 0. The name of the file is no argument of the process, because other users
//! of the machine see those.

mod confinement;
mod reader;

use std::io::{BufRead, BufReader, Read, Write};
use std::process::ExitCode;
use std::time::Duration;

use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use crate::findings::{Findings, Problem};
use crate::office_kinds::OfficeKind;
use crate::photo;
use crate::rules::Rules;

pub use self::confinement::Confinement;
pub use self::reader::{ReadError, Reader};

/// Maximum length of the request's line, in bytes. It holds the kinds of an office.
const MAX_REQUEST_BYTES: u64 = 1024 * 1024;

/// The limits of a child.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Maximum size of the file, in bytes.
    pub file_bytes: u64,
    /// Maximum address space, in bytes.
    pub memory_bytes: u64,
    /// Maximum processor time, in whole seconds.
    pub processor_time: Duration,
    /// Maximum time until the answer.
    pub time: Duration,
    /// Maximum length of the answer, in bytes.
    pub output_bytes: u64,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            file_bytes: 64 * 1024 * 1024,
            memory_bytes: 768 * 1024 * 1024,
            processor_time: Duration::from_secs(10),
            time: Duration::from_secs(30),
            output_bytes: 4 * 1024 * 1024,
        }
    }
}

/// The first line of the child's input.
#[derive(Debug, Serialize, Deserialize)]
struct Request {
    limits: Limits,
    task: Task,
}

/// The work of a child.
#[derive(Debug, Serialize, Deserialize)]
enum Task {
    /// Reads the facts of a document. The answer is a [`Report`].
    Read {
        name: String,
        today: Date,
        /// The kinds of an office.
        kinds: Vec<OfficeKind>,
    },
    /// Decodes a photo. The answer is a [`PhotoReport`], a line feed, and the pixels.
    Decode { max_pixels: u64 },
}

/// The child's answer.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Report {
    pub findings: Findings,
    pub confinement: Confinement,
}

/// The first line of the answer about a photo.
#[derive(Debug, Serialize, Deserialize)]
struct PhotoReport {
    /// Width and height, or the reason why there are no pixels.
    size: Result<(u32, u32), Problem>,
    confinement: Confinement,
}

/// The child's program: reads a request and a file from standard input, and writes a report to standard output.
///
/// The caller must not have started threads, because the limits of system calls apply to the calling thread and its
/// later ones.
#[must_use]
pub fn main() -> ExitCode {
    match answer() {
        Some(()) => ExitCode::SUCCESS,
        None => ExitCode::FAILURE,
    }
}

fn answer() -> Option<()> {
    let mut input = BufReader::new(std::io::stdin().lock());
    let mut line = String::new();
    input.by_ref().take(MAX_REQUEST_BYTES).read_line(&mut line).ok()?;
    let request: Request = serde_json::from_str(&line).ok()?;
    let has_resource_limits = confinement::limit_resources(&request.limits).is_ok();
    let mut bytes = Vec::new();
    input.take(request.limits.file_bytes).read_to_end(&mut bytes).ok()?;
    let has_system_call_filter = confinement::filter_system_calls();
    let confinement = Confinement { has_resource_limits, has_system_call_filter };
    let mut output = std::io::stdout().lock();
    match request.task {
        Task::Read { name, today, kinds } => {
            let rules = Rules::built_in().with_office_kinds(&kinds);
            let findings = crate::read(&name, bytes, today, &rules);
            serde_json::to_writer(&mut output, &Report { findings, confinement }).ok()?;
        }
        Task::Decode { max_pixels } => {
            let photo = photo::decode(&bytes, max_pixels);
            let size = photo.as_ref().map(|photo| (photo.width, photo.height)).map_err(|why| *why);
            serde_json::to_writer(&mut output, &PhotoReport { size, confinement }).ok()?;
            output.write_all(b"\n").ok()?;
            output.write_all(&photo.map(|photo| photo.rgb).unwrap_or_default()).ok()?;
        }
    }
    output.flush().ok()
}
