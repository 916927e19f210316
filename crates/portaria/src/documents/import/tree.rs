//! The plan of an archive whose folders are named: `client/folder of the portal/…/file`.

use std::{
    fs::{self, DirEntry},
    io,
    path::{Path, PathBuf},
};

use serde_json::Map;

use crate::documents::import::{
    Item, Plan,
    archive::{Archive, describe},
    directory::{Client, Directory, Folder},
    document_name, file_name, stem,
};

/// Files that Windows adds to folders.
const SYSTEM_FILES: [&str; 2] = ["thumbs.db", "desktop.ini"];

/// Plans the documents of an archive.
///
/// # Errors
/// The archive itself cannot be read.
pub(crate) fn plan(archive: &Archive, directory: &Directory) -> io::Result<Plan> {
    let mut plan = Plan::default();
    for client_entry in entries(&archive.root)? {
        let path = client_entry.path();
        let label = label(archive, &path);
        if !is_folder(&client_entry) {
            plan.refuse(label, "Está fora das pastas dos clientes.", 1);
            continue;
        }
        let name = client_entry.file_name();
        match directory.client_of_folder(&name.to_string_lossy()) {
            Ok(client) => plan_client(&mut plan, archive, directory, &client, &path),
            Err(reason) => plan.refuse(label, reason, count_files(&path)),
        }
    }
    Ok(plan)
}

/// Plans the documents of a client.
fn plan_client(
    plan: &mut Plan,
    archive: &Archive,
    directory: &Directory,
    client: &Client,
    path: &Path,
) {
    let found = match entries(path) {
        Ok(found) => found,
        Err(error) => return plan.refuse(label(archive, path), describe(&error), 1),
    };
    for folder_entry in found {
        let path = folder_entry.path();
        let label = label(archive, &path);
        if !is_folder(&folder_entry) {
            let reason = "Está fora de uma pasta do portal, como “Contratos”: ponha-o numa.";
            plan.refuse(label, reason, 1);
            continue;
        }
        match directory.folder(&folder_entry.file_name().to_string_lossy()) {
            Ok(folder) => plan_files(plan, archive, client, &folder, &path),
            Err(reason) => plan.refuse(label, reason, count_files(&path)),
        }
    }
}

/// Plans the files below a folder, at any depth.
fn plan_files(plan: &mut Plan, archive: &Archive, client: &Client, folder: &Folder, top: &Path) {
    let mut waiting = vec![top.to_owned()];
    while let Some(path) = waiting.pop() {
        let found = match entries(&path) {
            Ok(found) => found,
            Err(error) => {
                plan.refuse(label(archive, &path), describe(&error), 1);
                continue;
            }
        };
        for entry in found {
            let path = entry.path();
            if is_folder(&entry) {
                waiting.push(path);
                continue;
            }
            let label = label(archive, &path);
            match item(archive, client, folder, label.clone(), &path) {
                Ok(item) => plan.items.push(item),
                Err(reason) => plan.refuse(label, reason, 1),
            }
        }
    }
}

fn item(
    archive: &Archive,
    client: &Client,
    folder: &Folder,
    label: String,
    path: &Path,
) -> Result<Item, String> {
    let file_name = file_name(path).ok_or("O nome do arquivo não está em UTF-8: mude-o.")?;
    Ok(Item {
        label,
        path: archive.check(path)?,
        file_name: file_name.to_owned(),
        client: client.clone(),
        folder: folder.clone(),
        name: document_name(stem(file_name))?,
        values: Map::new(),
    })
}

/// Returns the entries of a folder in the order of their names, without hidden files and those that Windows and Office add.
fn entries(folder: &Path) -> io::Result<Vec<DirEntry>> {
    let mut found = fs::read_dir(folder)?.collect::<io::Result<Vec<_>>>()?;
    found.retain(|entry| {
        let name = entry.file_name().to_string_lossy().to_lowercase();
        !name.starts_with('.') && !name.starts_with("~$") && !SYSTEM_FILES.contains(&name.as_str())
    });
    found.sort_by_key(DirEntry::file_name);
    Ok(found)
}

/// Whether an entry is a folder. A link to one is not: it may lead out of the archive or back into it.
fn is_folder(entry: &DirEntry) -> bool {
    entry.file_type().is_ok_and(|kind| kind.is_dir())
}

/// Counts the files below a folder, as far as it can be read.
fn count_files(folder: &Path) -> u64 {
    let (mut count, mut waiting) = (0, vec![PathBuf::from(folder)]);
    while let Some(path) = waiting.pop() {
        for entry in entries(&path).unwrap_or_default() {
            if is_folder(&entry) {
                waiting.push(entry.path());
            } else {
                count += 1;
            }
        }
    }
    count
}

/// Returns a path relative to the archive.
fn label(archive: &Archive, path: &Path) -> String {
    path.strip_prefix(&archive.root).unwrap_or(path).display().to_string()
}
