//! A line that can be cut, held, or lied over, between the portal and a server that it depends on.

use std::{
    io::{Read, Write},
    net::{Shutdown, SocketAddr, TcpListener, TcpStream},
    sync::{Arc, Mutex},
    thread,
    time::Duration,
};

/// What it does to those who speak over it.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Fate {
    Fine,
    /// Hangs up on whoever says something.
    Gone,
    /// Takes everything, and neither passes it on nor answers.
    Silent,
    /// Answers every request by itself.
    Answers(&'static str),
    /// Passes on so many bytes of an answer, and hangs up.
    Cuts(usize),
    /// Passes on what the store is told to keep, but not the last byte of it.
    Shortens,
    /// Holds on to the next thing said that has these words in it.
    Holds(&'static str),
    /// Has something that it holds on to until its fate is another; passes on all else.
    Held,
}

/// A line to a server, which can go bad.
pub(crate) struct Line {
    /// Where it begins.
    pub(crate) address: SocketAddr,
    fate: Arc<Mutex<Fate>>,
}

impl Line {
    pub(crate) fn to(server: SocketAddr) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let fate = Arc::new(Mutex::new(Fate::Fine));
        let line = Self { address, fate: Arc::clone(&fate) };
        thread::spawn(move || {
            for client in listener.incoming() {
                let fate = Arc::clone(&fate);
                thread::spawn(move || carry(client.unwrap(), server, &fate));
            }
        });
        line
    }

    pub(crate) fn is(&self, fate: Fate) {
        *self.fate.lock().unwrap() = fate;
    }

    /// Waits until it holds on to something.
    pub(crate) async fn held(&self) {
        while *self.fate.lock().unwrap() != Fate::Held {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
}

fn carry(mut client: TcpStream, server: SocketAddr, fate: &Arc<Mutex<Fate>>) {
    let mut server = TcpStream::connect(server).unwrap();
    let back = (server.try_clone().unwrap(), client.try_clone().unwrap());
    let theirs = Arc::clone(fate);
    thread::spawn(move || answer(back.0, back.1, &theirs));
    let mut piece = vec![0; 1 << 16];
    while let Ok(read @ 1..) = client.read(&mut piece) {
        hold(&piece[..read], fate);
        let now = *fate.lock().unwrap();
        let said = match now {
            Fate::Gone => break,
            Fate::Silent => continue,
            Fate::Answers(text) => {
                drop(client.write_all(text.as_bytes()));
                break;
            }
            Fate::Fine | Fate::Cuts(_) | Fate::Holds(_) | Fate::Held => &piece[..read],
            Fate::Shortens => &piece[..read - 1],
        };
        if server.write_all(said).is_err() {
            break;
        }
    }
    hang_up(&[&client, &server]);
}

fn hold(said: &[u8], fate: &Mutex<Fate>) {
    {
        let mut fate = fate.lock().unwrap();
        let Fate::Holds(words) = *fate else { return };
        if !said.windows(words.len()).any(|said| said == words.as_bytes()) {
            return;
        }
        *fate = Fate::Held;
    }
    while *fate.lock().unwrap() == Fate::Held {
        thread::sleep(Duration::from_millis(5));
    }
}

fn answer(mut server: TcpStream, mut client: TcpStream, fate: &Mutex<Fate>) {
    let mut piece = vec![0; 1 << 16];
    let mut passed = 0;
    while let Ok(read @ 1..) = server.read(&mut piece) {
        let now = *fate.lock().unwrap();
        let most = if let Fate::Cuts(most) = now { most - passed } else { read };
        passed += read.min(most);
        if client.write_all(&piece[..read.min(most)]).is_err() || read > most {
            break;
        }
    }
    hang_up(&[&client, &server]);
}

fn hang_up(lines: &[&TcpStream]) {
    for line in lines {
        drop(line.shutdown(Shutdown::Both));
    }
}
