//! The parent's side: starts a child for a file and waits for its report.

use std::ffi::OsString;
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::{ExitStatus, Stdio};

use jiff::civil::Date;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::process::Command;
use tokio::time::timeout;

use crate::child::{Confinement, Limits, PhotoReport, Report, Request, Task};
use crate::findings::{Findings, Problem};
use crate::office_kinds::OfficeKind;
use crate::photo::Photo;
use crate::rules::Rules;

/// Number of bytes that are copied to a child at once.
const CHUNK_BYTES: usize = 64 * 1024;

/// Starts children. Each reads one file.
#[derive(Clone, Debug)]
pub struct Reader {
    /// The program whose `main` calls [`crate::child::main`].
    pub program: PathBuf,
    pub arguments: Vec<OsString>,
    pub limits: Limits,
    /// The kinds that an office describes.
    pub kinds: Vec<OfficeKind>,
}

/// A file could not be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    #[error("the file has more than {0} bytes")]
    FileTooLarge(u64),
    #[error("the reader cannot be started")]
    Start(#[source] io::Error),
    #[error("the file could not be read")]
    File(#[source] io::Error),
    #[error("the reader exceeded its time")]
    TimeExceeded,
    #[error("the reader wrote more than {0} bytes")]
    OutputTooLarge(u64),
    /// The child crashed or exceeded its memory.
    #[error("the reader ended: {0}")]
    Ended(ExitStatus),
    #[error("the reader's answer is invalid")]
    Answer(#[from] serde_json::Error),
    #[error("the reader refused the photo: {0:?}")]
    Refused(Problem),
}

impl Reader {
    /// Reads the facts of a file of `size` bytes in a child, which is killed when its time is over or when the future is
    /// dropped. The bytes pass through without being kept.
    ///
    /// # Errors
    /// [`ReadError`], also for a file that ends before `size` bytes.
    pub async fn read(
        &self,
        name: &str,
        size: u64,
        bytes: impl AsyncRead + Unpin,
        today: Date,
    ) -> Result<Report, ReadError> {
        let task = Task::Read { name: name.to_owned(), today, kinds: self.kinds.clone() };
        Ok(serde_json::from_slice(&self.run(task, size, bytes).await?)?)
    }

    /// Decodes a photo (HEIC) of `size` bytes in a child, as [`Self::read`] reads a file.
    ///
    /// # Errors
    /// As [`Self::read`]; [`ReadError::Refused`] for a photo that is damaged, of an unknown form, or has more than
    /// `max_pixels` pixels.
    pub async fn decode(
        &self,
        size: u64,
        bytes: impl AsyncRead + Unpin,
        max_pixels: u64,
    ) -> Result<(Photo, Confinement), ReadError> {
        let mut answer = self.run(Task::Decode { max_pixels }, size, bytes).await?;
        let line = answer.iter().position(|byte| *byte == b'\n').map_or(0, |end| end + 1);
        let report: PhotoReport = serde_json::from_slice(&answer[..line])?;
        let (width, height) = report.size.map_err(ReadError::Refused)?;
        answer.drain(..line);
        if answer.len() as u64 != u64::from(width) * u64::from(height) * 3 {
            return Err(ReadError::Refused(Problem::Damaged));
        }
        Ok((Photo { width, height, rgb: answer }, report.confinement))
    }

    /// Returns the answer of a child.
    async fn run(
        &self,
        task: Task,
        size: u64,
        bytes: impl AsyncRead + Unpin,
    ) -> Result<Vec<u8>, ReadError> {
        if size > self.limits.file_bytes {
            return Err(ReadError::FileTooLarge(self.limits.file_bytes));
        }
        let mut command = Command::new(&self.program);
        command.args(&self.arguments).env_clear().current_dir("/").kill_on_drop(true);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().map_err(ReadError::Start)?;
        let mut input = child.stdin.take().expect("standard input is a pipe");
        let output = child.stdout.take().expect("standard output is a pipe");

        let request = Request { limits: self.limits, task };
        let mut line = serde_json::to_vec(&request)?;
        line.push(b'\n');
        let send = async move {
            // A child that ends early closes the pipe. Its status says more than an error of writing.
            if input.write_all(&line).await.is_err() {
                return Ok::<_, ReadError>(());
            }
            let mut bytes = bytes.take(size);
            let mut chunk = vec![0; CHUNK_BYTES];
            loop {
                let length = bytes.read(&mut chunk).await.map_err(ReadError::File)?;
                if length == 0 && bytes.limit() > 0 {
                    return Err(ReadError::File(io::ErrorKind::UnexpectedEof.into()));
                }
                if length == 0 || input.write_all(&chunk[..length]).await.is_err() {
                    return Ok(());
                }
            }
        };
        let max_output = self.limits.output_bytes;
        let receive = async move {
            let mut answer = Vec::new();
            output.take(max_output + 1).read_to_end(&mut answer).await.map(|_| answer)
        };
        let conversation = async {
            let (answer, outcome) = tokio::join!(receive, send);
            outcome?;
            let answer = answer.map_err(ReadError::Start)?;
            if answer.len() as u64 > max_output {
                return Err(ReadError::OutputTooLarge(max_output));
            }
            Ok((answer, child.wait().await.map_err(ReadError::Start)?))
        };
        let (answer, status) = timeout(self.limits.time, conversation)
            .await
            .map_err(|_| ReadError::TimeExceeded)??;
        match status.signal() {
            _ if status.success() => Ok(answer),
            Some(signal) if is_processor_time(signal) => Err(ReadError::TimeExceeded),
            _ => Err(ReadError::Ended(status)),
        }
    }

    /// Returns the findings of a file that no child could read: those of its name.
    #[must_use]
    pub fn unreadable(&self, name: &str, problem: Problem, today: Date) -> Findings {
        let rules = Rules::built_in().with_office_kinds(&self.kinds);
        Findings {
            problem: Some(problem),
            is_complete: false,
            ..crate::read(name, Vec::new(), today, &rules)
        }
    }
}

impl ReadError {
    /// Returns the problem of the file, or `None` for an error that is not the file's: a later attempt may succeed.
    #[must_use]
    pub fn problem(&self) -> Option<Problem> {
        match self {
            Self::FileTooLarge(_) | Self::TimeExceeded | Self::OutputTooLarge(_) => {
                Some(Problem::TooLarge)
            }
            Self::Ended(_) | Self::Answer(_) => Some(Problem::Damaged),
            Self::Refused(problem) => Some(*problem),
            Self::Start(_) | Self::File(_) => None,
        }
    }
}

/// Whether the kernel sends this signal to a process that exceeded its processor time.
fn is_processor_time(signal: i32) -> bool {
    signal == libc::SIGXCPU || signal == libc::SIGKILL
}
