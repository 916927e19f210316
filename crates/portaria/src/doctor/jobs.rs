//! The work at fixed times: its last and its next run.

use std::{sync::Arc, time::Duration};

use jiff::{SignedDuration, Timestamp};

use crate::doctor::{
    Finding,
    finding::{Section, Status, Subject},
    local_time, local_time_and_age,
};
use crate::{
    app::App,
    lease::{self, ScheduledJob},
};

/// Delay from which a job counts as late. A job that runs renews its lease, and the loop that starts it runs each minute.
const LATE: SignedDuration = SignedDuration::from_hours(1);

const JOBS: [(ScheduledJob, Subject); 4] = [
    (
        lease::EXPIRY_NOTICES,
        Subject::new(Section::Jobs, "job_expiry_notices", "Avisos de vencimento"),
    ),
    (lease::REMINDERS, Subject::new(Section::Jobs, "job_reminders", "Lembretes")),
    (
        lease::STAFF_DIGESTS,
        Subject::new(Section::Jobs, "job_staff_digests", "Resumo para a equipe"),
    ),
    (lease::NIGHTLY_MAINTENANCE, Subject::new(Section::Jobs, "job_nightly", "Manutenção noturna")),
];

pub(super) async fn check(app: &Arc<App>, limit: Duration) -> Vec<Finding> {
    let mut findings = Vec::with_capacity(JOBS.len());
    for (job, subject) in JOBS {
        findings.push(subject.within(limit, check_job(app, job, subject)).await);
        // Without an answer for one, there is none for the others.
        if findings.last().is_some_and(|finding| finding.status == Status::Error) {
            break;
        }
    }
    findings
}

async fn check_job(app: &Arc<App>, job: ScheduledJob, subject: Subject) -> Finding {
    let runs = match app.db.read(move |tx| job.runs(tx)).await {
        Ok(runs) => runs,
        Err(error) => {
            let advice = "Veja o que foi dito do banco de dados.";
            return subject.error("O registro não pode ser lido.", advice).because(&error);
        }
    };
    let last = |at: Option<Timestamp>| match at {
        Some(at) => format!("Rodou em {}.", local_time_and_age(app, at)),
        None => "Ainda não rodou.".to_owned(),
    };
    let done = last(runs.last);
    match runs.next {
        None => subject.ok(done),
        Some(next) if next < app.clock.now() - LATE => subject.warning(
            format!("Está atrasado desde {}. {done}", local_time(app, next)),
            "O portal precisa estar no ar; `journalctl -u portaria` diz por que a tarefa não termina.",
        ),
        Some(next) => subject.ok(format!("{done} A próxima vez é em {}.", local_time(app, next))),
    }
}
