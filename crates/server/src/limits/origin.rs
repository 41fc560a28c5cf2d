//! Who a request is from, as far as limits can tell: an address, by way of the proxies that are trusted and no others.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use axum::http::HeaderMap;
use axum::http::header::FORWARDED;
use ipnet::IpNet;

/// In which header a proxy tells the client's address. One only is believed: a proxy passes the other one on as the client
/// wrote it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ProxyHeader {
    /// `X-Forwarded-For`, what nearly all proxies send.
    #[default]
    XForwardedFor,
    /// `Forwarded` (RFC 7239).
    Forwarded,
}

/// The address at the other end of a connection: `listen` puts it on each request.
#[derive(Clone, Copy, Debug)]
pub struct Peer(pub IpAddr);

/// Whom a request is charged to: an IPv4 address, or the /64 of an IPv6 one, since one subscriber has at least that.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Origin(IpAddr);

impl Origin {
    /// Whom that address is charged to.
    #[must_use]
    pub fn of(address: IpAddr) -> Self {
        Self(match address.to_canonical() {
            IpAddr::V4(address) => IpAddr::V4(address),
            IpAddr::V6(address) => IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() >> 64 << 64)),
        })
    }

    /// The network that it is in, which is all that the audit log keeps of an address: the /24 of an IPv4 one, the /48 of an IPv6 one.
    pub(crate) fn network(&self) -> String {
        match self.0 {
            IpAddr::V4(address) => format!("{}/24", Ipv4Addr::from_bits(address.to_bits() >> 8 << 8)),
            IpAddr::V6(address) => format!("{}/48", Ipv6Addr::from_bits(address.to_bits() >> 80 << 80)),
        }
    }
}

/// The trusted proxies.
#[derive(Clone, Debug, Default)]
pub(crate) struct Proxies {
    /// Their networks.
    pub(crate) networks: Vec<IpNet>,
    /// What they tell the client's address in.
    pub(crate) header: ProxyHeader,
}

impl Proxies {
    /// Whether that address is of a trusted proxy.
    pub(crate) fn trust(&self, address: IpAddr) -> bool {
        let address = address.to_canonical();
        self.networks.iter().any(|network| network.contains(&address))
    }

    /// The address of the client: the peer's own, unless it is a trusted proxy's. Then the rightmost address that the
    /// proxies tell and that is none of theirs; what stands left of it is the client's own claim. Where a proxy tells
    /// nothing that can be read, the last address that could be.
    pub(crate) fn client(&self, peer: IpAddr, headers: &HeaderMap) -> IpAddr {
        let mut client = peer;
        let mut told = self.header.read(headers).into_iter().rev();
        while self.trust(client) {
            let Some(Some(before)) = told.next() else { break };
            client = before;
        }
        client
    }
}

impl ProxyHeader {
    /// The addresses that it tells, the farthest first; none for what is no address.
    fn read(self, headers: &HeaderMap) -> Vec<Option<IpAddr>> {
        let (name, read): (_, fn(&str) -> Option<IpAddr>) = match self {
            Self::XForwardedFor => ("x-forwarded-for", |element| address(element.trim())),
            Self::Forwarded => (FORWARDED.as_str(), forwarded_for),
        };
        let values = headers.get_all(name).iter().filter_map(|value| value.to_str().ok());
        values.flat_map(|value| value.split(',')).map(read).collect()
    }
}

/// The `for` of one element of `Forwarded`.
fn forwarded_for(element: &str) -> Option<IpAddr> {
    element.split(';').find_map(|pair| {
        let (name, value) = pair.trim().split_once('=')?;
        name.eq_ignore_ascii_case("for").then(|| address(value.trim().trim_matches('"')))?
    })
}

/// An address, with or without a port: `192.0.2.1`, `192.0.2.1:80`, `2001:db8::1`, `[2001:db8::1]:80`.
fn address(text: &str) -> Option<IpAddr> {
    let bracketed = || text.strip_prefix('[')?.split_once(']').map(|(address, _)| address);
    let before_port = || text.split_once(':').map(|(address, _)| address);
    text.parse().ok().or_else(|| bracketed()?.parse().ok()).or_else(|| before_port()?.parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ip(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    fn headers(given: &[(&'static str, &str)]) -> HeaderMap {
        given.iter().map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap())).collect()
    }

    fn proxies() -> Proxies {
        let networks = ["10.0.0.0/8", "2001:db8:a::/48"].map(|network| network.parse().unwrap());
        Proxies { networks: networks.into(), header: ProxyHeader::XForwardedFor }
    }

    #[test]
    fn an_ipv6_address_stands_for_its_64_an_ipv4_one_for_itself_however_it_is_written() {
        assert_eq!(Origin::of(ip("2001:db8::1")), Origin::of(ip("2001:db8::ffff:0:0:9")));
        assert_ne!(Origin::of(ip("2001:db8::1")), Origin::of(ip("2001:db8:0:1::1")));
        assert_eq!(Origin::of(ip("::ffff:192.0.2.1")), Origin::of(ip("192.0.2.1")));
        assert_ne!(Origin::of(ip("192.0.2.1")), Origin::of(ip("192.0.2.2")));
    }

    #[test]
    fn what_a_client_says_of_itself_is_not_believed() {
        let claims = headers(&[("x-forwarded-for", "203.0.113.9"), ("forwarded", "for=203.0.113.9")]);
        assert_eq!(proxies().client(ip("192.0.2.1"), &claims), ip("192.0.2.1"));
        assert_eq!(Proxies::default().client(ip("10.0.0.1"), &claims), ip("10.0.0.1"));
    }

    #[test]
    fn behind_trusted_proxies_the_client_is_the_rightmost_address_that_is_none_of_theirs() {
        for (given, client) in [
            (vec![("x-forwarded-for", "203.0.113.9")], "203.0.113.9"),
            (vec![("x-forwarded-for", "198.51.100.1, 203.0.113.9")], "203.0.113.9"),
            (vec![("x-forwarded-for", "198.51.100.1, 203.0.113.9, 10.2.3.4")], "203.0.113.9"),
            (vec![("x-forwarded-for", "198.51.100.1"), ("x-forwarded-for", "203.0.113.9:4711")], "203.0.113.9"),
            // The other header is the client's own, passed on.
            (vec![("x-forwarded-for", "203.0.113.9"), ("forwarded", "for=198.51.100.1")], "203.0.113.9"),
            (vec![("x-forwarded-for", "::ffff:203.0.113.9")], "::ffff:203.0.113.9"),
            // Nothing to be read: the proxy that said so.
            (vec![], "10.0.0.1"),
            (vec![("x-forwarded-for", "203.0.113.9, unknown")], "10.0.0.1"),
            (vec![("x-forwarded-for", "203.0.113.9, nonsense, 10.2.3.4")], "10.2.3.4"),
            (vec![("forwarded", "for=198.51.100.1")], "10.0.0.1"),
        ] {
            assert_eq!(proxies().client(ip("10.0.0.1"), &headers(&given)), ip(client), "{given:?}");
        }
        let told = headers(&[("x-forwarded-for", "203.0.113.9")]);
        assert_eq!(proxies().client(ip("::ffff:10.0.0.1"), &told), ip("203.0.113.9"));
        assert_eq!(proxies().client(ip("2001:db8:a::1"), &told), ip("203.0.113.9"));
    }

    #[test]
    fn forwarded_is_read_where_it_is_what_the_proxies_send() {
        let proxies = Proxies { header: ProxyHeader::Forwarded, ..proxies() };
        for (given, client) in [
            ("for=198.51.100.1, for=\"[2001:db8::7]:80\";proto=https", "2001:db8::7"),
            ("for=198.51.100.1, proto=https;For=203.0.113.9", "203.0.113.9"),
            ("for=203.0.113.9, for=10.2.3.4", "203.0.113.9"),
            ("for=_hidden", "10.0.0.1"),
        ] {
            let given = [("forwarded", given), ("x-forwarded-for", "198.51.100.1")];
            assert_eq!(proxies.client(ip("10.0.0.1"), &headers(&given)), ip(client), "{given:?}");
        }
    }
}
