//! The threads that run the jobs of a PostgreSQL database, each with one connection.

use std::{sync::Arc, thread};

use crossbeam_channel::Receiver;

use crate::{
    Error, Job, Tx,
    postgres::{
        Session, Target,
        sync::{Link, Syncer},
        turn::Turns,
    },
    transaction::Connection,
};

/// Number of connections for reads and for writes. A PostgreSQL server allows 100 by default.
const READERS: usize = 8;
const WRITERS: usize = 8;

/// Starts the threads. They end when the senders of their jobs are dropped.
pub(crate) fn start(
    target: &Arc<Target>,
    reads: &Receiver<Job>,
    writes: &Receiver<Job>,
) -> Result<(), Error> {
    for _ in 0..READERS {
        let (target, reads) = (Arc::clone(target), reads.clone());
        spawn("db-read", move || serve_reads(&target, &reads))?;
    }
    let syncer = Arc::new(Syncer::new(target));
    let turns = Arc::<Turns>::default();
    for _ in 0..WRITERS {
        let (target, writes, syncer) = (Arc::clone(target), writes.clone(), Arc::clone(&syncer));
        let turns = Arc::clone(&turns);
        spawn("db-write", move || serve_writes(&target, &writes, &syncer, &turns))?;
    }
    Ok(())
}

pub(crate) fn spawn(name: &str, work: impl FnOnce() + Send + 'static) -> Result<(), Error> {
    let spawned = thread::Builder::new().name(name.into()).spawn(work);
    spawned.map(drop).map_err(|error| Error::Internal(format!("cannot start a thread: {error}")))
}

fn serve_reads(target: &Target, jobs: &Receiver<Job>) {
    let mut open: Option<Session> = None;
    for job in jobs.iter().filter_map(Job::reject_if_late) {
        let session = match open.take().filter(Session::is_open) {
            Some(session) => open.insert(session),
            None => match Session::connect(target, true) {
                Ok(session) => open.insert(session),
                Err(error) => {
                    job.reject(error);
                    continue;
                }
            },
        };
        session.begin = Some("BEGIN ISOLATION LEVEL REPEATABLE READ");
        if let Some(outcome) = job.run(Ok(&mut Tx::new(Connection::Postgres(session)))) {
            // The rows stay valid if the connection is lost.
            (outcome.answer)(Ok(()));
        }
        session.end_read();
    }
}

/// Runs jobs. Those that changed rows are answered by a link when they are on the disk.
fn serve_writes(target: &Target, jobs: &Receiver<Job>, syncer: &Syncer, turns: &Arc<Turns>) {
    let mut open: Option<Session> = None;
    for job in jobs.iter().filter_map(Job::reject_if_late) {
        let (session, link) = match writing_session(&mut open, target, syncer) {
            Ok(both) => both,
            Err(error) => {
                job.reject(error);
                continue;
            }
        };
        session.begin = Some("BEGIN");
        session.has_written = false;
        session.turns = Some(Arc::clone(turns));
        let Some(outcome) = job.run(Ok(&mut Tx::new(Connection::Postgres(session)))) else {
            drop(session.roll_back());
            continue;
        };
        if !outcome.keep {
            // The server rolls back by itself if the connection is lost.
            drop(session.roll_back());
            (outcome.answer)(Ok(()));
            continue;
        }
        match session.commit() {
            Ok(()) if session.has_written => link.confirm(outcome.answer),
            ended => (outcome.answer)(ended),
        }
    }
}

/// Returns the open connection of a writer, or opens one, with the link that will confirm the commit.
fn writing_session<'a>(
    open: &'a mut Option<Session>,
    target: &Target,
    syncer: &Syncer,
) -> Result<(&'a mut Session, Arc<Link>), Error> {
    let session = match open.take() {
        Some(session) if session.is_open() => session,
        former => {
            if former.is_some() {
                // A server that restarts closes all connections.
                syncer.distrust_link();
            }
            let mut session = Session::connect(target, false)?;
            session.batch("SET synchronous_commit = off")?;
            session
        }
    };
    let link = syncer.link()?;
    Ok((open.insert(session), link))
}
