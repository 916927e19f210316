//! SIGKILL during the delivery of a mail: no mail is lost, and a duplicate occurs only if the server accepted it before
//! the sender died, under the same Message-ID.

use std::{
    io::{BufRead, BufReader, Write},
    net::{TcpListener, TcpStream},
    sync::{Arc, Mutex},
    thread::{sleep, spawn},
    time::{Duration, Instant},
};

use serde_json::json;

use crate::{
    capabilities::{can_strace, is_long, say},
    server_process::Portal,
    strace::{Strace, Threads},
    workload::Office,
};

/// A mail that the server accepted.
#[derive(Debug, Clone)]
struct AcceptedMail {
    to: String,
    id: String,
    /// The number of restarts before it.
    life: u32,
}

/// A mail server that accepts everything.
#[derive(Clone, Default)]
struct Sink {
    taken: Arc<Mutex<Vec<AcceptedMail>>>,
    life: Arc<Mutex<u32>>,
}

impl Sink {
    fn open() -> (Self, String) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("smtp://{}", listener.local_addr().unwrap());
        let sink = Self::default();
        let own = sink.clone();
        spawn(move || {
            for socket in listener.incoming() {
                let sink = own.clone();
                // A client that dies ends the dialog.
                spawn(move || drop(sink.serve_dialog(socket.unwrap())));
            }
        });
        (sink, url)
    }

    fn serve_dialog(&self, socket: TcpStream) -> std::io::Result<()> {
        let mut answers = socket.try_clone()?;
        let mut lines = BufReader::new(socket).lines();
        let mut to = String::new();
        answers.write_all(b"220 sink\r\n")?;
        while let Some(line) = lines.next().transpose()? {
            let answer: &[u8] = match line.split([' ', ':']).next().unwrap_or_default() {
                "RCPT" => {
                    line.split(['<', '>']).nth(1).unwrap_or_default().clone_into(&mut to);
                    b"250 ok\r\n"
                }
                "DATA" => {
                    answers.write_all(b"354 go on\r\n")?;
                    let mut id = String::new();
                    loop {
                        let Some(line) = lines.next().transpose()? else { return Ok(()) };
                        if let Some(value) = line.strip_prefix("Message-ID: ") {
                            value.clone_into(&mut id);
                        }
                        if line == "." {
                            break;
                        }
                    }
                    let life = *self.life.lock().unwrap();
                    self.taken.lock().unwrap().push(AcceptedMail { to: to.clone(), id, life });
                    b"250 taken\r\n"
                }
                "QUIT" => return answers.write_all(b"221 bye\r\n"),
                _ => b"250 ok\r\n",
            };
            answers.write_all(answer)?;
        }
        Ok(())
    }

    fn copies(&self, to: &str) -> Vec<AcceptedMail> {
        self.taken.lock().unwrap().iter().filter(|taken| taken.to == to).cloned().collect()
    }
}

#[test]
fn mail_survives_a_kill_at_every_call() {
    if !can_strace("the sending of a mail") {
        return;
    }
    let (sink, url) = Sink::open();
    let mut portal = Portal::new();
    portal.set("smtp_url", &url);
    portal.set("mail_from", "Portal <portal@exemplo.com.br>");
    for unlimited in ["rate_account", "rate_mail", "mail_rate", "rate_recipient_mail"] {
        portal.set(unlimited, "");
    }
    portal.up();
    let mut office = Office::of(portal);
    let steps = [
        (Threads::All, "sendto"),
        (Threads::All, "writev"),
        (Threads::All, "connect"),
        (Threads::Writer, "pwrite64"),
        (Threads::Writer, "fsync"),
    ];
    let (mut number, mut kills) = (0, 0);
    for (threads, call) in steps {
        let mut count = 1;
        loop {
            number += 1;
            let to = format!("ana{number}@exemplo.com.br");
            let strace = Strace::kill(&office.portal, threads, call, count);
            let body = json!({"email": to}).to_string();
            let json = ("content-type", "application/json");
            let invited = office.send("POST", "/auth/v1/invite", &[json], body.as_bytes());
            let begun = Instant::now();
            let died = loop {
                if office.portal.ends_within(Duration::ZERO).is_some() {
                    break true;
                }
                // Sent, with its result recorded. A request for the result would add system calls.
                if !sink.copies(&to).is_empty() && begun.elapsed() > Duration::from_millis(300) {
                    break false;
                }
                assert!(begun.elapsed() < Duration::from_secs(20), "{call} {count}: no mail");
                sleep(Duration::from_millis(5));
            };
            drop(strace);
            if died {
                kills += 1;
                *sink.life.lock().unwrap() += 1;
                office.portal.up();
            }
            if let Ok(answer) = invited {
                assert_eq!(answer.status, 200, "{answer:?}");
                let begun = Instant::now();
                while sink.copies(&to).is_empty() {
                    assert!(begun.elapsed() < Duration::from_secs(20), "{call} {count}: lost");
                    sleep(Duration::from_millis(5));
                }
            }
            if !died {
                break;
            }
            office.portal.is_whole();
            count += if is_long() { 1 } else { count };
        }
    }
    // Mails that are still in transit.
    sleep(Duration::from_secs(1));
    let mut twice = 0;
    for number in 1..=number {
        let copies = sink.copies(&format!("ana{number}@exemplo.com.br"));
        assert!(copies.len() <= 2, "{copies:?}");
        if let [one, other] = &copies[..] {
            twice += 1;
            assert_eq!(one.id, other.id);
            assert!(one.life < other.life, "one process sends a mail once: {copies:?}");
        }
    }
    assert!(kills >= 5, "too few kills: {kills}");
    say(&format!("mail: {kills} kills, nothing lost, {twice} came twice under one id"));
}
