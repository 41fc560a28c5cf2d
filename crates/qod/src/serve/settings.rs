//! The settings of `qod serve`: flags, before the environment, before a file, before what is usual.

use std::net::SocketAddr;
use std::num::{NonZeroU32, NonZeroUsize};
use std::path::PathBuf;
use std::time::Duration;

use clap::ValueEnum;
use ipnet::IpNet;
use server::{LimitSettings, ProxyHeader, Room};
use tracing::level_filters::LevelFilter;

/// What `qod serve` takes. Each setting can be given as a flag, in the environment (`QOD_…`), or in a TOML file named by
/// `--config`, under the name of its flag without the two dashes: the flag counts before the environment, the environment
/// before the file.
#[derive(clap::Args, Clone, Debug)]
pub(crate) struct Settings {
    /// A TOML file with settings, each under the name of its flag (`listen = "0.0.0.0:8000"`); unknown names are refused
    #[arg(long, value_name = "FILE", env = "QOD_CONFIG")]
    pub(crate) config: Option<PathBuf>,
    /// Check the settings, the keys, the page and the store, say what is wrong, and do not serve
    #[arg(long)]
    pub(crate) check_config: bool,

    #[command(flatten)]
    pub(crate) store: crate::store_args::StoreArgs,

    /// The folder that the page was built into
    #[arg(long, value_name = "DIST", env = "QOD_WEB", default_value = "dist")]
    pub(crate) web: PathBuf,
    /// The address and port to listen on for players
    #[arg(long, value_name = "ADDR:PORT", env = "QOD_LISTEN", default_value = "127.0.0.1:8000")]
    pub(crate) listen: SocketAddr,
    /// The address and port to give Prometheus the metrics on (GET /metrics), which players must not reach; none without it
    #[arg(long, value_name = "ADDR:PORT", env = "QOD_METRICS_LISTEN")]
    pub(crate) metrics_listen: Option<SocketAddr>,
    /// The address and port of the points of sale's API (`qod pos`), on a private network, behind a proxy that ends TLS; none
    /// without it
    #[arg(long, value_name = "ADDR:PORT", env = "QOD_POS_LISTEN")]
    pub(crate) pos_listen: Option<SocketAddr>,

    /// A proxy in front ends TLS, and nobody reaches this server otherwise: browsers are told to insist on HTTPS
    #[arg(long, value_name = "BOOL", env = "QOD_TLS_IN_FRONT", default_value = "false", num_args = 0..=1,
          require_equals = true, default_missing_value = "true", action = clap::ArgAction::Set)]
    pub(crate) tls_in_front: bool,
    /// Networks of proxies that are believed who the client is, with commas between: 10.0.0.0/8,2001:db8::/48
    #[arg(long, value_name = "NETS", env = "QOD_TRUSTED_PROXIES", value_delimiter = ',')]
    pub(crate) trusted_proxies: Vec<IpNet>,
    /// The header in which those proxies tell the client's address; they must set or append to it themselves
    #[arg(long, value_name = "HEADER", env = "QOD_PROXY_HEADER", default_value = "x-forwarded-for")]
    pub(crate) proxy_header: Header,

    /// Wrong codes a minute from one address (IPv6: /64) after which further wrong ones are told to wait; a right code
    /// is accepted all the same
    #[arg(long, value_name = "COUNT", env = "QOD_WRONG_CODES", default_value = "20")]
    pub(crate) wrong_codes: NonZeroU32,
    /// The same, from all addresses together
    #[arg(long, value_name = "COUNT", env = "QOD_WRONG_CODES_IN_ALL", default_value = "3000")]
    pub(crate) wrong_codes_in_all: NonZeroU32,
    /// The most connections of players at once; each needs an open file
    #[arg(long, value_name = "COUNT", env = "QOD_MAX_CONNECTIONS", default_value = "4000")]
    pub(crate) max_connections: NonZeroUsize,
    /// The most of one address (IPv6: /64), trusted proxies excepted; a silent one makes room for one that comes
    #[arg(long, value_name = "COUNT", env = "QOD_MAX_CONNECTIONS_PER_ADDRESS", default_value = "1000")]
    pub(crate) max_connections_per_address: NonZeroUsize,

    /// How long a session lasts from the entry of its code, in minutes
    #[arg(long, value_name = "MINUTES", env = "QOD_SESSION_MINUTES", default_value = "1440",
          value_parser = clap::value_parser!(u32).range(5..=43_200))]
    pub(crate) session_minutes: u32,
    /// From what gain on, in whole euros, the end of a game is noted as a large win
    #[arg(long, value_name = "EUR", env = "QOD_LARGE_WIN", default_value = "10000")]
    pub(crate) large_win: u64,
    /// After SIGTERM or SIGINT, how many seconds to serve on while /readyz says no, so that a balancer sends players
    /// elsewhere; then what runs is finished, for 35 seconds at most
    #[arg(long, value_name = "SECONDS", env = "QOD_DRAIN", default_value = "0",
          value_parser = clap::value_parser!(u64).range(0..=600))]
    pub(crate) drain: u64,

    /// What is logged to standard error, and all that is graver: error, warn, info, debug, trace or off
    #[arg(long, value_name = "LEVEL", env = "QOD_LOG", default_value = "info")]
    pub(crate) log: LevelFilter,
    /// How: a line of text, or a JSON object a line
    #[arg(long, value_name = "FORMAT", env = "QOD_LOG_FORMAT", default_value = "text")]
    pub(crate) log_format: LogFormat,
}

/// How the log is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum LogFormat {
    /// A line of text
    Text,
    /// A JSON object a line
    Json,
}

/// The header of the proxies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Header {
    /// What nearly all proxies send
    XForwardedFor,
    /// RFC 7239
    Forwarded,
}

impl Settings {
    /// The server's.
    pub(crate) fn server(&self) -> server::Settings {
        server::Settings {
            session_millis: i64::from(self.session_minutes) * 60_000,
            tls_in_front: self.tls_in_front,
            large_win_eur: self.large_win,
        }
    }

    /// The bounds on hostile clients.
    pub(crate) fn limits(&self) -> LimitSettings {
        LimitSettings {
            proxies: self.trusted_proxies.clone(),
            proxy_header: match self.proxy_header {
                Header::XForwardedFor => ProxyHeader::XForwardedFor,
                Header::Forwarded => ProxyHeader::Forwarded,
            },
            wrong_codes: self.wrong_codes,
            wrong_codes_in_all: self.wrong_codes_in_all,
        }
    }

    /// The room for connections.
    pub(crate) fn room(&self) -> Room {
        let in_all = self.max_connections.get();
        Room { in_all, of_one: self.max_connections_per_address.get().min(in_all) }
    }

    /// How long to serve on after a signal.
    pub(crate) const fn drain(&self) -> Duration {
        Duration::from_secs(self.drain)
    }
}
