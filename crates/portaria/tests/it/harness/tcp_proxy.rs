//! A TCP proxy between the portal and a server, which can cut, delay or falsify the traffic.

use std::{
    io::{Read, Write},
    net::{Shutdown, SocketAddr, TcpListener, TcpStream},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread,
    time::Duration,
};

/// The behavior of the proxy.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Behavior {
    Forward,
    /// Closes the connection at the next request.
    Disconnect,
    /// Reads everything, forwards nothing, and sends no response.
    Silent,
    /// Answers every request with this text.
    Respond(&'static str),
    /// Forwards this number of bytes of a response, then closes the connection.
    Truncate(usize),
    /// Forwards uploads without their last byte.
    DropLastByte,
    /// Holds the next data that contains this text.
    HoldMatching(&'static str),
    /// Holds data until the behavior changes, and forwards everything else.
    Held,
}

/// A proxy in front of a server, with changeable behavior.
pub(crate) struct TcpProxy {
    /// The address on which the proxy listens.
    pub(crate) address: SocketAddr,
    behavior: Arc<Mutex<Behavior>>,
    round_trips: Arc<AtomicUsize>,
}

impl TcpProxy {
    pub(crate) fn to(server: SocketAddr) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let behavior = Arc::new(Mutex::new(Behavior::Forward));
        let round_trips = Arc::new(AtomicUsize::new(0));
        let proxy = Self {
            address,
            behavior: Arc::clone(&behavior),
            round_trips: Arc::clone(&round_trips),
        };
        thread::spawn(move || {
            for client in listener.incoming() {
                let (behavior, round_trips) = (Arc::clone(&behavior), Arc::clone(&round_trips));
                thread::spawn(move || {
                    forward_requests(client.unwrap(), server, &behavior, &round_trips);
                });
            }
        });
        proxy
    }

    /// Number of times that a client sent data after a response, or first.
    pub(crate) fn round_trips(&self) -> usize {
        self.round_trips.load(Ordering::SeqCst)
    }

    pub(crate) fn set(&self, behavior: Behavior) {
        *self.behavior.lock().unwrap() = behavior;
    }

    /// Waits until the proxy holds data.
    pub(crate) async fn held(&self) {
        while *self.behavior.lock().unwrap() != Behavior::Held {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
}

fn forward_requests(
    mut client: TcpStream,
    server: SocketAddr,
    behavior: &Arc<Mutex<Behavior>>,
    round_trips: &AtomicUsize,
) {
    let is_answered = Arc::new(AtomicBool::new(true));
    let mut server = TcpStream::connect(server).unwrap();
    let back = (server.try_clone().unwrap(), client.try_clone().unwrap());
    let responses = Arc::clone(behavior);
    let answers = Arc::clone(&is_answered);
    thread::spawn(move || forward_responses(back.0, back.1, &responses, &answers));
    let mut buffer = vec![0; 1 << 16];
    while let Ok(read @ 1..) = client.read(&mut buffer) {
        if is_answered.swap(false, Ordering::SeqCst) {
            round_trips.fetch_add(1, Ordering::SeqCst);
        }
        hold(&buffer[..read], behavior);
        let now = *behavior.lock().unwrap();
        let data = match now {
            Behavior::Disconnect => break,
            Behavior::Silent => continue,
            Behavior::Respond(text) => {
                drop(client.write_all(text.as_bytes()));
                break;
            }
            Behavior::Forward
            | Behavior::Truncate(_)
            | Behavior::HoldMatching(_)
            | Behavior::Held => &buffer[..read],
            Behavior::DropLastByte => &buffer[..read - 1],
        };
        if server.write_all(data).is_err() {
            break;
        }
    }
    close_both(&[&client, &server]);
}

fn hold(data: &[u8], behavior: &Mutex<Behavior>) {
    {
        let mut behavior = behavior.lock().unwrap();
        let Behavior::HoldMatching(words) = *behavior else { return };
        if !data.windows(words.len()).any(|data| data == words.as_bytes()) {
            return;
        }
        *behavior = Behavior::Held;
    }
    while *behavior.lock().unwrap() == Behavior::Held {
        thread::sleep(Duration::from_millis(5));
    }
}

fn forward_responses(
    mut server: TcpStream,
    mut client: TcpStream,
    behavior: &Mutex<Behavior>,
    is_answered: &AtomicBool,
) {
    let mut buffer = vec![0; 1 << 16];
    let mut passed = 0;
    while let Ok(read @ 1..) = server.read(&mut buffer) {
        is_answered.store(true, Ordering::SeqCst);
        let now = *behavior.lock().unwrap();
        let limit = if let Behavior::Truncate(limit) = now { limit - passed } else { read };
        passed += read.min(limit);
        if client.write_all(&buffer[..read.min(limit)]).is_err() || read > limit {
            break;
        }
    }
    close_both(&[&client, &server]);
}

fn close_both(streams: &[&TcpStream]) {
    for stream in streams {
        drop(stream.shutdown(Shutdown::Both));
    }
}
