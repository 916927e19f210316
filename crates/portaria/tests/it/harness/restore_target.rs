//! Targets for restores: an empty data folder, database and bucket.

use std::{path::PathBuf, sync::Arc};

use portaria::{clock::Clock, config::Config, http};
use tempfile::TempDir;

use crate::harness::{Bucket, Database, Engine, TestPortal, cheap_passwords, open, read};

/// A place for a portal that does not exist yet.
pub(crate) struct RestoreTarget {
    settings: Vec<(&'static str, String)>,
    clock: Clock,
    folder: TempDir,
    bucket: Option<Bucket>,
    /// Dropped after the portal.
    database: Option<Database>,
}

impl RestoreTarget {
    /// An empty place on either database, with the settings of an existing portal.
    pub(crate) fn new(portal: &TestPortal, engine: Engine) -> Self {
        let database = (engine == Engine::Postgres).then(Database::empty);
        let mut settings = portal.settings.clone();
        settings.retain(|(name, _)| !["database_url", "storage_url"].contains(name));
        let bucket = (engine == Engine::Postgres).then(Bucket::create);
        settings.extend(bucket.as_ref().map(|bucket| ("storage_url", bucket.url.clone())));
        settings.extend(database.as_ref().map(|database| ("database_url", database.url.clone())));
        let folder = tempfile::tempdir().unwrap();
        Self { settings, clock: portal.clock.clone(), folder, bucket, database }
    }

    pub(crate) fn set(&mut self, name: &'static str, value: &str) {
        self.settings.push((name, value.to_owned()));
    }

    pub(crate) fn settings(&self) -> &[(&'static str, String)] {
        &self.settings
    }

    pub(crate) fn folder(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    /// The folder of the blobs.
    pub(crate) fn blobs(&self) -> PathBuf {
        self.bucket
            .as_ref()
            .map_or_else(|| self.folder(), |bucket| bucket.folder.clone())
            .join("blobs")
    }

    pub(crate) fn config(&self) -> Config {
        read(&self.settings, &self.folder()).unwrap()
    }

    /// Starts the restored portal.
    pub(crate) fn start(self) -> (TestPortal, Option<Database>) {
        let Self { settings, clock, folder, bucket, database } = self;
        let passwords = cheap_passwords;
        let app = open(&settings, &folder.path().join("data"), &clock, passwords).unwrap();
        let router = http::router(Arc::clone(&app));
        (TestPortal { app, router, clock, settings, folder, passwords, bucket }, database)
    }
}
