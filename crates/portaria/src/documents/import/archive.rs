//! The folder of the archive. Files outside of it are not read, whatever a list or a link names.

use std::{
    fs, io,
    path::{Component, Path, PathBuf},
};

use anyhow::{Context, bail};
use unicode_normalization::UnicodeNormalization;

/// The folder of an archive.
#[derive(Debug)]
pub(crate) struct Archive {
    /// The path without links.
    pub(crate) root: PathBuf,
}

impl Archive {
    /// Opens a folder.
    ///
    /// # Errors
    /// A sentence for the operator.
    pub(crate) fn open(folder: &Path) -> anyhow::Result<Self> {
        let shown = folder.display();
        let root = fs::canonicalize(folder).with_context(|| {
            format!("cannot read {shown}, which the user of this command must be able to read")
        })?;
        if !root.is_dir() {
            bail!("{shown} is not a folder");
        }
        Ok(Self { root })
    }

    /// Finds a file by its path relative to the archive, in which `\` separates folders too. Macs write accents in
    /// another form than lists.
    ///
    /// # Errors
    /// A sentence for a person.
    pub(crate) fn find(&self, relative: &str) -> Result<PathBuf, String> {
        let relative = relative.replace('\\', "/");
        let is_below = |component: Component<'_>| {
            matches!(component, Component::Normal(_) | Component::CurDir)
        };
        let has_drive = relative.as_bytes().get(1) == Some(&b':');
        if relative.is_empty() {
            return Err("Falta o caminho do arquivo.".into());
        }
        if has_drive || !Path::new(&relative).components().all(is_below) {
            return Err("O caminho sai da pasta: escreva-o a partir dela, sem “..”.".into());
        }
        let mut path = self.root.clone();
        for name in relative.split('/') {
            let forms = [name.to_owned(), name.nfc().collect(), name.nfd().collect()];
            let paths = forms.map(|form| path.join(form));
            let found = paths.iter().find(|path| path.symlink_metadata().is_ok());
            path.clone_from(found.unwrap_or(&paths[0]));
        }
        self.check(&path)
    }

    /// Checks that a path is a file in the archive, and returns its path without links.
    ///
    /// # Errors
    /// A sentence for a person.
    pub(crate) fn check(&self, path: &Path) -> Result<PathBuf, String> {
        let real = fs::canonicalize(path).map_err(|error| describe(&error))?;
        if !real.starts_with(&self.root) {
            return Err("É um atalho para fora da pasta: copie o arquivo para ela.".into());
        }
        match fs::metadata(&real) {
            Ok(metadata) if metadata.is_file() => Ok(real),
            Ok(_) => Err("Não é um arquivo.".into()),
            Err(error) => Err(describe(&error)),
        }
    }
}

/// Describes why a file or folder cannot be read.
pub(crate) fn describe(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "O arquivo não existe na pasta.".into(),
        io::ErrorKind::PermissionDenied => {
            "O usuário do portal não pode ler: mude a permissão e rode de novo.".into()
        }
        _ => format!("Não foi possível ler: {error}."),
    }
}

#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::symlink};

    use crate::documents::import::archive::Archive;

    #[test]
    fn only_files_of_the_folder_are_found() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("acervo");
        fs::create_dir_all(root.join("ana/sub")).unwrap();
        fs::write(folder.path().join("fora.pdf"), "").unwrap();
        fs::write(root.join("ana/guia.pdf"), "").unwrap();
        // The second character is an "a" with a separate tilde, as Macs write it.
        fs::write(root.join("na\u{303}o.pdf"), "").unwrap();
        fs::create_dir(root.join("Jose\u{301}")).unwrap();
        fs::write(root.join("Jose\u{301}/março.pdf"), "").unwrap();
        symlink("../../fora.pdf", root.join("ana/saida.pdf")).unwrap();
        symlink("guia.pdf", root.join("ana/igual.pdf")).unwrap();
        symlink("/", root.join("disco")).unwrap();

        let archive = Archive::open(&root).unwrap();
        for found in [
            "ana/guia.pdf",
            "./ana/guia.pdf",
            "ana\\guia.pdf",
            "ana/igual.pdf",
            "não.pdf",
            "José/março.pdf",
        ] {
            assert!(archive.find(found).is_ok(), "{found}");
        }
        let outside = folder.path().join("fora.pdf").display().to_string();
        for (refused, reason) in [
            ("", "Falta"),
            ("../fora.pdf", "sai da pasta"),
            ("ana/../../fora.pdf", "sai da pasta"),
            ("ana/../ana/guia.pdf", "sai da pasta"),
            (outside.as_str(), "sai da pasta"),
            ("C:\\fora.pdf", "sai da pasta"),
            ("ana/saida.pdf", "atalho para fora"),
            ("disco/etc/hostname", "atalho para fora"),
            ("ana/sub", "Não é um arquivo"),
            ("ana/falta.pdf", "não existe"),
        ] {
            let error = archive.find(refused).unwrap_err();
            assert!(error.contains(reason), "{refused}: {error}");
        }
    }
}
