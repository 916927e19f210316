//! Rate limits per visitor: token buckets in memory, one set per node. The crate `governor` implements the buckets.
//!
//! Limits per account and per e-mail address must survive restarts and apply to all nodes. They are counted in the
//! database (`accounts/login_attempts.rs`).

use std::{
    hash::Hash,
    net::{IpAddr, Ipv6Addr},
    num::NonZeroU32,
    time::Duration,
};

use governor::{
    Quota, RateLimiter, clock, middleware::NoOpMiddleware, nanos::Nanos,
    state::keyed::HashMapStateStore,
};
use jiff::SignedDuration;

use crate::clock::Clock;
use crate::security::ids::{SessionId, UserId};

/// A maximum number of actions per time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rate {
    /// Maximum number of actions.
    pub count: NonZeroU32,
    /// Length of the time window.
    pub per: SignedDuration,
}

/// Rates of the limits per visitor, session or person; `None` disables a limit.
#[derive(Debug, Clone, Copy)]
pub struct VisitorRates {
    /// Sign-ins per visitor.
    pub sign_in: Option<Rate>,
    /// Uses of mailed links and codes per visitor.
    pub verify: Option<Rate>,
    /// Requests for an account per visitor, counted separately per [`AccountAction`].
    pub account: Option<Rate>,
    /// Refreshes per session.
    pub refresh: Option<Rate>,
    /// Exports per person.
    pub export: Option<Rate>,
    /// Sent mails in total.
    pub outgoing: Option<Rate>,
}

/// Messages to private topics that a person may send at once, on all connections and by requests. They are available
/// again within two seconds. A message counts one, and one more for each 4 KiB.
const MESSAGES: NonZeroU32 = NonZeroU32::new(100).expect("100 is not zero");
const MESSAGES_PER: SignedDuration = SignedDuration::from_secs(2);
const MESSAGE_UNIT: usize = 4 * 1024;

/// Joins of channels of a person. All channels join again at once after a lost connection.
const JOINS: Rate = Rate {
    count: NonZeroU32::new(500).expect("500 is not zero"),
    per: SignedDuration::from_secs(10),
};

/// Address of a visitor: the socket's peer, or the address that a trusted proxy forwards.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ClientAddr(IpAddr);

impl ClientAddr {
    /// Reduces an address to its visitor: an IPv6 address to its /64 network.
    #[must_use]
    pub fn new(address: IpAddr) -> Self {
        Self(match address.to_canonical() {
            // A subscriber receives at least a /64, and could otherwise change the address with every request.
            IpAddr::V6(v6) => Ipv6Addr::from_bits(v6.to_bits() >> 64 << 64).into(),
            v4 @ IpAddr::V4(_) => v4,
        })
    }

    /// Returns the IPv4 address or the /64 network.
    #[must_use]
    pub fn address(self) -> IpAddr {
        self.0
    }
}

/// Actions on an account that have separate limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the variants are named after the routes")]
pub enum AccountAction {
    Setup,
    Signup,
    Recover,
    Resend,
    Otp,
    Reauthenticate,
    UpdateUser,
    ChangeFactors,
}

/// A rate limit is exceeded. Contains the time after which a retry can succeed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RateLimited(pub Duration);

/// All rate limits of this node.
#[derive(Debug)]
pub struct RateLimits {
    sign_in: KeyedLimiter<ClientAddr>,
    verify: KeyedLimiter<ClientAddr>,
    account: KeyedLimiter<(AccountAction, ClientAddr)>,
    refresh: KeyedLimiter<(SessionId, ClientAddr)>,
    export: KeyedLimiter<UserId>,
    messages: KeyedLimiter<UserId>,
    joins: KeyedLimiter<UserId>,
    outgoing: KeyedLimiter<()>,
}

impl RateLimits {
    /// Creates full buckets.
    #[must_use]
    pub fn new(rates: &VisitorRates, clock: &Clock) -> Self {
        Self {
            sign_in: KeyedLimiter::new(rates.sign_in, clock),
            verify: KeyedLimiter::new(rates.verify, clock),
            account: KeyedLimiter::new(rates.account, clock),
            refresh: KeyedLimiter::new(rates.refresh, clock),
            export: KeyedLimiter::new(rates.export, clock),
            joins: KeyedLimiter::new(Some(JOINS), clock),
            messages: KeyedLimiter::new(Some(Rate { count: MESSAGES, per: MESSAGES_PER }), clock),
            outgoing: KeyedLimiter::new(rates.outgoing, clock),
        }
    }

    /// Counts a sign-in with a password.
    ///
    /// # Errors
    /// [`RateLimited`].
    pub fn sign_in(&self, origin: ClientAddr) -> Result<(), RateLimited> {
        self.sign_in.check(&origin)
    }

    /// Counts the use of a mailed link or a code.
    ///
    /// # Errors
    /// [`RateLimited`].
    pub fn verify(&self, origin: ClientAddr) -> Result<(), RateLimited> {
        self.verify.check(&origin)
    }

    /// Counts an action on an account.
    ///
    /// # Errors
    /// [`RateLimited`].
    pub fn account(&self, action: AccountAction, origin: ClientAddr) -> Result<(), RateLimited> {
        self.account.check(&(action, origin))
    }

    /// Counts the refresh of a session.
    ///
    /// # Errors
    /// [`RateLimited`].
    pub fn refresh(&self, session: SessionId, origin: ClientAddr) -> Result<(), RateLimited> {
        self.refresh.check(&(session, origin))
    }

    /// Counts an export of a person's data.
    ///
    /// # Errors
    /// [`RateLimited`].
    pub fn export(&self, person: UserId) -> Result<(), RateLimited> {
        self.export.check(&person)
    }

    /// Counts the join of a channel.
    ///
    /// # Errors
    /// [`RateLimited`].
    pub fn joins(&self, person: UserId) -> Result<(), RateLimited> {
        self.joins.check(&person)
    }

    /// Counts messages to private topics with their size in bytes.
    ///
    /// # Errors
    /// [`RateLimited`].
    pub fn messages(&self, person: UserId, count: usize, size: usize) -> Result<(), RateLimited> {
        let units = u32::try_from(count + size / MESSAGE_UNIT).unwrap_or(u32::MAX);
        NonZeroU32::new(units).map_or(Ok(()), |units| self.messages.check_many(&person, units))
    }

    /// Counts an outgoing mail.
    ///
    /// # Errors
    /// [`RateLimited`].
    pub fn outgoing(&self) -> Result<(), RateLimited> {
        self.outgoing.check(&())
    }

    /// Removes buckets that are full again.
    pub fn evict_idle(&self) {
        self.sign_in.evict();
        self.verify.evict();
        self.account.evict();
        self.refresh.evict();
        self.export.evict();
        self.messages.evict();
        self.joins.evict();
    }
}

/// One bucket per key. `None` if the limit is disabled.
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
        self.check_many(key, NonZeroU32::MIN)
    }

    /// Counts several actions, or none of them. More than the bucket holds are always refused.
    fn check_many(&self, key: &K, count: NonZeroU32) -> Result<(), RateLimited> {
        let Some(limiter) = &self.0 else { return Ok(()) };
        let now = clock::Clock::now(limiter.clock());
        let checked = limiter.check_key_n(key, count).map_err(|_| RateLimited(Duration::MAX))?;
        checked.map_err(|until| RateLimited(until.wait_time_from(now)))
    }

    fn evict(&self) {
        if let Some(limiter) = &self.0 {
            limiter.retain_recent();
            limiter.shrink_to_fit();
        }
    }
}

/// Quota with a burst of `count`, refilled evenly over `per`.
fn quota(Rate { count, per }: Rate) -> Option<Quota> {
    let refill = per.unsigned_abs() / count.get();
    Quota::with_period(refill).map(|quota| quota.allow_burst(count))
}

/// Adapts the portal's clock to `governor`.
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

    use crate::clock::Clock;
    use crate::security::rate_limit::{AccountAction, ClientAddr, Rate, RateLimits, VisitorRates};

    #[test]
    fn bucket_empties_per_visitor_and_refills() {
        let clock = Clock::fixed("2026-11-21T12:00:00Z".parse().unwrap());
        let rate = Some(Rate { count: 30.try_into().unwrap(), per: SignedDuration::from_mins(5) });
        let rates = VisitorRates {
            sign_in: rate,
            verify: rate,
            account: rate,
            refresh: rate,
            export: rate,
            outgoing: rate,
        };
        let limits = RateLimits::new(&rates, &clock);
        let origin = |text: &str| ClientAddr::new(text.parse().unwrap());
        let visitor = origin("203.0.113.7");
        for _ in 0..30 {
            limits.sign_in(visitor).unwrap();
        }
        assert_eq!(limits.sign_in(visitor).unwrap_err().0.as_secs(), 10);
        limits.sign_in(origin("203.0.113.8")).unwrap();
        limits.account(AccountAction::Recover, visitor).unwrap();
        clock.advance(SignedDuration::from_secs(10));
        limits.sign_in(visitor).unwrap();
        limits.sign_in(visitor).unwrap_err();
        limits.evict_idle();
        limits.sign_in(visitor).unwrap_err();
        clock.advance(SignedDuration::from_mins(5));
        limits.evict_idle();
        limits.sign_in(visitor).unwrap();
    }

    #[test]
    fn client_addr_covers_ipv6_network() {
        let origin = |text: &str| ClientAddr::new(text.parse().unwrap());
        assert_eq!(origin("2001:db8::1"), origin("2001:db8::ffff:1"));
        assert_ne!(origin("2001:db8::1"), origin("2001:db8:0:1::1"));
        assert_eq!(origin("::ffff:203.0.113.7"), origin("203.0.113.7"));
    }
}
