//! How often one visitor may ask: token buckets in memory, one set per node.
//!
//! What must outlive a restart and hold on every node, failures and mails per account, is counted in the
//! database instead (`auth/attempts.rs`).

use std::{
    hash::Hash,
    net::{IpAddr, Ipv6Addr},
    time::Duration,
};

use governor::{
    Quota, RateLimiter, clock, middleware::NoOpMiddleware, nanos::Nanos,
    state::keyed::HashMapStateStore,
};
use uuid::Uuid;

use crate::{
    clock::Clock,
    config::{Rates, units::Rate},
};

/// Where a request comes from: the socket's peer, or what a trusted proxy says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ClientAddr(IpAddr);

impl ClientAddr {
    /// The visitor behind an address.
    #[must_use]
    pub fn new(address: IpAddr) -> Self {
        Self(match address.to_canonical() {
            // Whoever has one IPv6 address has the whole /64.
            IpAddr::V6(six) => Ipv6Addr::from_bits(six.to_bits() >> 64 << 64).into(),
            four @ IpAddr::V4(_) => four,
        })
    }

    /// The address, shortened to what belongs to one visitor.
    #[must_use]
    pub fn address(self) -> IpAddr {
        self.0
    }
}

/// What a person asks of an account; each is counted by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the endpoints' names")]
pub enum AccountAction {
    Signup,
    Recover,
    Resend,
    Otp,
    Reauthenticate,
    UpdateUser,
}

/// Too often. It is worth trying again after this time.
#[derive(Debug, Clone, Copy)]
pub struct RateLimited(pub Duration);

/// The buckets.
#[derive(Debug)]
pub struct RateLimits {
    sign_in: KeyedLimiter<ClientAddr>,
    verify: KeyedLimiter<ClientAddr>,
    account: KeyedLimiter<(AccountAction, ClientAddr)>,
    refresh: KeyedLimiter<(Uuid, ClientAddr)>,
    export: KeyedLimiter<Uuid>,
    outgoing: KeyedLimiter<()>,
}

impl RateLimits {
    /// Full buckets.
    #[must_use]
    pub fn new(rates: &Rates, clock: &Clock) -> Self {
        Self {
            sign_in: KeyedLimiter::new(rates.sign_in, clock),
            verify: KeyedLimiter::new(rates.verify, clock),
            account: KeyedLimiter::new(rates.account, clock),
            refresh: KeyedLimiter::new(rates.refresh, clock),
            export: KeyedLimiter::new(rates.export, clock),
            outgoing: KeyedLimiter::new(rates.outgoing, clock),
        }
    }

    /// A sign-in with a password.
    ///
    /// # Errors
    /// [`TooOften`].
    pub fn sign_in(&self, origin: ClientAddr) -> Result<(), RateLimited> {
        self.sign_in.check(&origin)
    }

    /// The use of a mailed link or code.
    ///
    /// # Errors
    /// [`TooOften`].
    pub fn verify(&self, origin: ClientAddr) -> Result<(), RateLimited> {
        self.verify.check(&origin)
    }

    /// Something asked of an account.
    ///
    /// # Errors
    /// [`TooOften`].
    pub fn account(&self, ask: AccountAction, origin: ClientAddr) -> Result<(), RateLimited> {
        self.account.check(&(ask, origin))
    }

    /// The refresh of a session.
    ///
    /// # Errors
    /// [`TooOften`].
    pub fn refresh(&self, session: Uuid, origin: ClientAddr) -> Result<(), RateLimited> {
        self.refresh.check(&(session, origin))
    }

    /// A copy of everything that is a person's.
    ///
    /// # Errors
    /// [`TooOften`].
    pub fn export(&self, person: Uuid) -> Result<(), RateLimited> {
        self.export.check(&person)
    }

    /// A mail that leaves.
    ///
    /// # Errors
    /// [`TooOften`].
    pub fn outgoing(&self) -> Result<(), RateLimited> {
        self.outgoing.check(&())
    }

    /// Forgets the visitors whose buckets are full again.
    pub fn evict_idle(&self) {
        self.sign_in.sweep();
        self.verify.sweep();
        self.account.sweep();
        self.refresh.sweep();
        self.export.sweep();
    }
}

/// One bucket per key; none at all where there is no limit.
#[derive(Debug)]
struct KeyedLimiter<K: Hash + Eq + Clone>(Option<Limiter<K>>);

type Limiter<K> = RateLimiter<K, HashMapStateStore<K>, LimiterClock, NoOpMiddleware<Nanos>>;

impl<K: Hash + Eq + Clone> KeyedLimiter<K> {
    fn new(rate: Option<Rate>, clock: &Clock) -> Self {
        Self(rate.and_then(quota).map(|quota| {
            RateLimiter::new(quota, HashMapStateStore::default(), LimiterClock(clock.clone()))
        }))
    }

    fn check(&self, key: &K) -> Result<(), RateLimited> {
        let Some(limiter) = &self.0 else { return Ok(()) };
        let now = clock::Clock::now(limiter.clock());
        limiter.check_key(key).map_err(|until| RateLimited(until.wait_time_from(now)))
    }

    fn sweep(&self) {
        if let Some(limiter) = &self.0 {
            limiter.retain_recent();
            limiter.shrink_to_fit();
        }
    }
}

/// A burst of the whole count, refilled evenly over the time.
fn quota(Rate { count, per }: Rate) -> Option<Quota> {
    let refill = per.unsigned_abs() / count.get();
    Quota::with_period(refill).map(|quota| quota.allow_burst(count))
}

/// The portal's clock, as the limiter reads it.
#[derive(Debug, Clone)]
struct LimiterClock(Clock);

impl clock::Clock for LimiterClock {
    type Instant = Nanos;

    fn now(&self) -> Nanos {
        Nanos::new(u64::try_from(self.0.elapsed().as_nanos()).unwrap_or(u64::MAX))
    }
}

#[cfg(test)]
mod tests {
    use jiff::SignedDuration;

    use crate::security::rate_limit::{AccountAction, ClientAddr, RateLimits};
    use crate::{clock::Clock, config::sources::ConfigSources};

    #[test]
    fn a_bucket_empties_for_one_visitor_and_refills() {
        let clock = Clock::stopped_at("2026-11-21T12:00:00Z".parse().unwrap());
        let limits = RateLimits::new(&ConfigSources::defaults().read().unwrap().rates, &clock);
        let origin = |text: &str| ClientAddr::new(text.parse().unwrap());
        let one = origin("203.0.113.7");
        for _ in 0..30 {
            limits.sign_in(one).unwrap();
        }
        assert_eq!(limits.sign_in(one).unwrap_err().0.as_secs(), 10);
        limits.sign_in(origin("203.0.113.8")).unwrap();
        limits.account(AccountAction::Recover, one).unwrap();
        clock.advance(SignedDuration::from_secs(10));
        limits.sign_in(one).unwrap();
        limits.sign_in(one).unwrap_err();
        limits.evict_idle();
        limits.sign_in(one).unwrap_err();
        clock.advance(SignedDuration::from_mins(5));
        limits.evict_idle();
        limits.sign_in(one).unwrap();
    }

    #[test]
    fn one_visitor_has_a_whole_ipv6_network() {
        let origin = |text: &str| ClientAddr::new(text.parse().unwrap());
        assert_eq!(origin("2001:db8::1"), origin("2001:db8::ffff:1"));
        assert_ne!(origin("2001:db8::1"), origin("2001:db8:0:1::1"));
        assert_eq!(origin("::ffff:203.0.113.7"), origin("203.0.113.7"));
    }
}
