//! A TCP proxy between the portal and a server, which can cut, delay or falsify the traffic.

use std::{
    io::{Read, Write},
    net::{Shutdown, SocketAddr, TcpListener, TcpStream},
    sync::{Arc, Mutex},
    thread,
    time::Duration,
};

/// The behavior of the proxy.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Fate {
    Fine,
    /// Closes the connection at the next request.
    Gone,
    /// Reads everything, forwards nothing, and sends no response.
    Silent,
    /// Answers every request with this text.
    Answers(&'static str),
    /// Forwards this number of bytes of a response, then closes the connection.
    Cuts(usize),
    /// Forwards uploads without their last byte.
    Shortens,
    /// Holds the next data that contains this text.
    Holds(&'static str),
    /// Holds data until the behavior changes, and forwards everything else.
    Held,
}

/// A proxy in front of a server, with changeable behavior.
pub(crate) struct Line {
    /// The address on which the proxy listens.
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

    /// Waits until the proxy holds data.
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
