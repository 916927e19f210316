//! Writes the demo office's files into a folder: `portaria-demo <folder>`.

use std::path::PathBuf;

fn main() -> std::io::Result<()> {
    let folder = std::env::args_os().nth(1).map(PathBuf::from);
    let folder = folder.ok_or_else(|| std::io::Error::other("usage: portaria-demo <folder>"))?;
    portaria_demo::write(&folder)
}
