//! Names of files in an export archive: the names that people gave them, made unique and valid on all file systems.

use std::collections::HashSet;

use crate::display_name::portable_file_name;

/// Maximum number of characters of a path segment, below the limits of common file systems.
const MAX_NAME_CHARS: usize = 120;

/// Allocates unique names below one folder of the archive.
pub(crate) struct UniqueNames {
    root: String,
    taken: HashSet<String>,
}

impl UniqueNames {
    pub(crate) fn new(root: &str) -> Self {
        Self { root: root.to_owned(), taken: HashSet::new() }
    }

    /// Returns an unused path for a file in a folder. Its extension is that of the stored file.
    pub(crate) fn allocate(&mut self, folder: &str, name: &str, stored: &str) -> String {
        let segment = |name: &str| portable_file_name(name, MAX_NAME_CHARS);
        let extension = stored.rsplit('/').next().and_then(|file| file.rsplit_once('.'));
        let extension = extension.map(|(_, extension)| segment(extension)).unwrap_or_default();
        let (folder, name) = (segment(folder), segment(name));
        let dotted = format!(".{extension}");
        let has_extension = name.to_lowercase().ends_with(&dotted.to_lowercase());
        let (stem, dotted) = if extension.is_empty() {
            (name.as_str(), "")
        } else if has_extension {
            name.split_at(name.len() - dotted.len())
        } else {
            (name.as_str(), dotted.as_str())
        };
        let mut number = 1;
        loop {
            let suffix = if number == 1 { String::new() } else { format!(" ({number})") };
            let path = format!("{}/{folder}/{stem}{suffix}{dotted}", self.root);
            // Some file systems do not distinguish upper and lower case.
            if self.taken.insert(path.to_lowercase()) {
                return path;
            }
            number += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::privacy::archive_names::UniqueNames;

    #[test]
    fn names_are_readable_unique_and_safe() {
        let mut names = UniqueNames::new("arquivos");
        for (folder, name, stored, expected) in [
            (
                "Faturas",
                "Guia de março",
                "public/x/f/1-a.pdf",
                "arquivos/Faturas/Guia de março.pdf",
            ),
            ("Faturas", "guia de MARÇO", "p/2-a.pdf", "arquivos/Faturas/guia de MARÇO (2).pdf"),
            ("Faturas", "Guia.PDF", "p/3-a.pdf", "arquivos/Faturas/Guia.PDF"),
            ("a/b", "../../etc/passwd", "p/sem-tipo", "arquivos/a_b/.._.._etc_passwd"),
            ("..", "..", "p/1-a.pdf", "arquivos/_/_.pdf"),
            ("aux", "nul", "p/1-a.pdf", "arquivos/_aux/_nul.pdf"),
            ("F", "x\u{202E}fdp.exe\r\n", "p/1-a.pdf", "arquivos/F/xfdp.exe.pdf"),
        ] {
            assert_eq!(names.allocate(folder, name, stored), expected);
        }
    }
}
