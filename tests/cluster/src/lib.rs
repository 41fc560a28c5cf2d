//! A private PostgreSQL cluster for tests: Debian's programs, a folder and sockets of its own, no port of the
//! machine's, and nothing left running.
//!
//! Each cluster has a watchdog, a small shell of its own process group that reads from a pipe of this process: when the
//! pipe ends, because the cluster was dropped or this process has ended in any way, killed even, it stops the servers
//! and removes the folder.
#![allow(clippy::unwrap_used, clippy::panic, reason = "only tests use it: what fails here fails them")]

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// Stops every server under the folder, waits until they have gone, and removes it.
const WATCHDOG: &str = r#"
read -r _
for pid in $(head -qn 1 "$0"/*/postmaster.pid 2>/dev/null); do
    kill -QUIT "$pid" 2>/dev/null
    tries=0
    while kill -0 "$pid" 2>/dev/null && [ $tries -lt 100 ]; do sleep 0.1; tries=$((tries + 1)); done
    kill -KILL "$pid" 2>/dev/null
done
rm -rf "$0"
"#;

/// How long a server may take to answer after its start, on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// What clusters are called, one after the other.
static NAMES: AtomicU32 = AtomicU32::new(0);

/// One server with its data; its socket lies in the folder above it.
pub struct Server {
    data: PathBuf,
    process: Option<Child>,
    environment: Vec<(&'static str, PathBuf)>,
}

/// A folder with one server, and more where replicas are added.
pub struct Cluster {
    directory: PathBuf,
    primary: Server,
    databases: AtomicU32,
    watchdog: Child,
}

/// The cluster that all tests of this process share; each takes a database of its own.
pub fn shared() -> &'static Cluster {
    static SHARED: OnceLock<Cluster> = OnceLock::new();
    SHARED.get_or_init(Cluster::start)
}

impl Cluster {
    /// Makes a cluster and starts it. Panics where PostgreSQL is not installed, with what to do.
    pub fn start() -> Self {
        let name = format!("qod-pg-{}-{}", std::process::id(), NAMES.fetch_add(1, Ordering::Relaxed));
        let directory = std::env::temp_dir().join(name);
        fs::create_dir(&directory).unwrap();
        fs::set_permissions(&directory, fs::Permissions::from_mode(0o700)).unwrap();
        if let Some((user, group)) = postgres_user() {
            std::os::unix::fs::chown(&directory, Some(user), Some(group)).unwrap();
        }
        let mut watchdog = Command::new("sh");
        watchdog.arg("-c").arg(WATCHDOG).arg(&directory).process_group(0);
        let watchdog = watchdog.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();

        let primary = Server { data: directory.join("primary"), process: None, environment: Vec::new() };
        let initdb = ["-U", "qod", "-A", "trust", "--no-sync", "--no-instructions", "-E", "UTF8", "--locale=C", "-D"];
        run(program("initdb").args(initdb).arg(&primary.data));
        let settings = "\nlisten_addresses = ''\nmax_connections = 200\n\
                        shared_buffers = 64MB\nlogging_collector = off\n\
                        max_wal_size = 512MB\nwal_level = replica\nmax_prepared_transactions = 0\n";
        let mut written = fs::read_to_string(primary.data.join("postgresql.conf")).unwrap();
        written.push_str(settings);
        fs::write(primary.data.join("postgresql.conf"), written).unwrap();
        let mut cluster = Self { directory, primary, databases: AtomicU32::new(0), watchdog };
        cluster.primary.start();
        cluster
    }

    /// The server.
    pub fn server(&mut self) -> &mut Server {
        &mut self.primary
    }

    /// Runs statements in one of its databases; see [`Server::sql`].
    pub fn sql(&self, database: &str, statements: &str) -> String {
        self.primary.sql(database, statements)
    }

    /// A dump of one of its databases, as text.
    pub fn dump(&self, database: &str) -> String {
        let mut dump = program("pg_dump");
        run(dump.args(["-U", "qod", "-d", database, "-h"]).arg(self.primary.socket()))
    }

    /// Runs a dump into one of its databases, which is empty.
    pub fn restore(&self, database: &str, dump: &str) {
        let mut psql = program("psql");
        psql.args(["-Xq", "-v", "ON_ERROR_STOP=1", "-U", "qod", "-d", database, "-h"]).arg(self.primary.socket());
        let mut process = psql.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
        std::io::Write::write_all(&mut process.stdin.take().unwrap(), dump.as_bytes()).unwrap();
        assert!(process.wait().unwrap().success());
    }

    /// A new database in it, as the URL of one.
    pub fn database(&self) -> String {
        let name = format!("test_{}", self.databases.fetch_add(1, Ordering::Relaxed));
        self.primary.sql("postgres", &format!("CREATE DATABASE {name}"));
        self.primary.url(&name)
    }

    /// A second server that follows the first one, under a name of its own; not started yet. Where `application` is
    /// set, it says so to the first one, whose `synchronous_standby_names` may wait for it.
    pub fn standby(&self, name: &str) -> Server {
        let standby = Server { data: self.directory.join(name), process: None, environment: Vec::new() };
        let mut copy = program("pg_basebackup");
        copy.arg("-h").arg(self.primary.socket()).args(["-U", "qod", "-R", "-X", "stream", "-c", "fast", "-D"]);
        run(copy.arg(&standby.data));
        let mut settings = fs::read_to_string(standby.data.join("postgresql.auto.conf")).unwrap();
        let source = self.primary.socket();
        settings
            .push_str(&format!("\nprimary_conninfo = 'host={} user=qod application_name={name}'\n", source.display()));
        fs::write(standby.data.join("postgresql.auto.conf"), settings).unwrap();
        standby
    }

    /// A copy of the server's data as they are now; not started.
    pub fn copy(&self, name: &str) -> Server {
        let copy = Server { data: self.directory.join(name), process: None, environment: Vec::new() };
        let mut program = program("pg_basebackup");
        program.arg("-h").arg(self.primary.socket()).args(["-U", "qod", "-X", "none", "-c", "fast", "-D"]);
        run(program.arg(&copy.data));
        copy
    }

    /// Keeps the server's log elsewhere as it is written, until the server is gone, under a name that its
    /// `synchronous_standby_names` may wait for.
    pub fn archive(&self, name: &str) -> Archive {
        let folder = self.directory.join(name);
        let socket = self.primary.socket();
        run(as_postgres("mkdir").arg(&folder));
        let connection = format!("host={} user=qod application_name={name}", socket.display());
        let receive = || {
            let mut receive = program("pg_receivewal");
            receive.args(["--no-loop", "--slot", name, "-d", &connection]);
            receive
        };
        run(receive().arg("--create-slot"));
        let process = receive().arg("--synchronous").arg("-D").arg(&folder).stdin(Stdio::null()).spawn().unwrap();
        Archive { folder, process }
    }
}

/// The log of a server, kept elsewhere.
pub struct Archive {
    folder: PathBuf,
    process: Child,
}

impl Archive {
    /// Waits until its server is gone, and makes a copy of the server end where the log ends.
    pub fn complete(mut self, copy: &Server) {
        // It says that its server has gone.
        let _ = self.process.wait();
        let folder = self.folder.display();
        // The last segment was being written.
        let take = format!("cp {folder}/%f %p || cp {folder}/%f.partial %p");
        copy.set(&format!("restore_command = '{take}'\nsynchronous_standby_names = ''"));
        run(as_postgres("touch").arg(copy.data.join("recovery.signal")));
    }
}

impl Drop for Archive {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        // The pipe ends; then it works.
        drop(self.watchdog.stdin.take());
        let _ = self.watchdog.wait();
        if let Some(process) = &mut self.primary.process {
            let _ = process.wait();
        }
    }
}

impl Server {
    /// Starts it and waits until it answers.
    pub fn start(&mut self) {
        let socket = self.socket();
        fs::create_dir_all(&socket).unwrap();
        if let Some((user, group)) = postgres_user() {
            std::os::unix::fs::chown(&socket, Some(user), Some(group)).unwrap();
        }
        let log = fs::OpenOptions::new().create(true).append(true).open(socket.join("log")).unwrap();
        let mut server = program("postgres");
        server.arg("-D").arg(&self.data).arg("-k").arg(&socket);
        server.envs(self.environment.iter().map(|(name, value)| (name, value)));
        server.process_group(0).stdin(Stdio::null()).stdout(log.try_clone().unwrap()).stderr(log);
        self.process = Some(server.spawn().unwrap());
        let start = Instant::now();
        let mut ready = program("pg_isready");
        ready.arg("-q").arg("-h").arg(&socket);
        while !ready.status().unwrap().success() {
            assert!(start.elapsed() < PATIENCE, "PostgreSQL does not start: {}", self.log());
            std::thread::sleep(Duration::from_millis(30));
        }
    }

    /// Sets a variable of its environment, from its next start on.
    pub fn environment(&mut self, name: &'static str, value: PathBuf) {
        self.environment.push((name, value));
    }

    /// Kills it and every process of its own with SIGKILL, all at once.
    pub fn kill(&mut self) {
        let Some(mut server) = self.process.take() else { return };
        let children = fs::read_dir("/proc").unwrap().filter_map(|entry| {
            let pid = entry.ok()?.file_name().into_string().ok()?.parse::<u32>().ok()?;
            let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
            let parent: u32 = stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()?;
            (parent == server.id()).then(|| pid.to_string())
        });
        let all: Vec<_> = children.collect();
        server.kill().unwrap();
        let _ = Command::new("kill").arg("-KILL").args(all).stderr(Stdio::null()).status();
        server.wait().unwrap();
    }

    /// Stops it: `fast` ends its sessions with "terminating connection due to administrator command".
    pub fn stop(&mut self) {
        let Some(mut server) = self.process.take() else { return };
        run(program("pg_ctl").args(["stop", "-s", "-m", "fast", "-D"]).arg(&self.data));
        server.wait().unwrap();
    }

    /// Makes a standby the one that takes writes.
    pub fn promote(&self) {
        run(program("pg_ctl").args(["promote", "-s", "-w", "-D"]).arg(&self.data));
    }

    /// The postmaster's process, where it runs.
    pub fn pid(&self) -> Option<u32> {
        self.process.as_ref().map(Child::id)
    }

    /// Where its socket lies.
    pub fn socket(&self) -> PathBuf {
        self.data.with_extension("run")
    }

    /// The URL of one of its databases.
    pub fn url(&self, database: &str) -> String {
        format!("postgres:///{database}?host={}&user=qod", self.socket().display())
    }

    /// Runs statements as the superuser and gives what psql prints, unaligned.
    pub fn sql(&self, database: &str, statements: &str) -> String {
        let mut psql = program("psql");
        psql.args(["-XqAt", "-v", "ON_ERROR_STOP=1", "-U", "qod", "-d", database, "-c", statements, "-h"]);
        run(psql.arg(self.socket()))
    }

    /// Everything that it wrote to its log.
    pub fn log(&self) -> String {
        fs::read_to_string(self.socket().join("log")).unwrap_or_default()
    }

    /// Adds settings to its configuration; they hold from the next start or reload on.
    pub fn set(&self, settings: &str) {
        let path = self.data.join("postgresql.auto.conf");
        let mut written = fs::read_to_string(&path).unwrap();
        written.push_str(&format!("\n{settings}\n"));
        fs::write(path, written).unwrap();
    }
}

/// One of PostgreSQL's programs, of the newest version there is; it refuses root, so that root runs it as another user.
fn program(name: &str) -> Command {
    let mut versions: Vec<_> = fs::read_dir("/usr/lib/postgresql")
        .map(|found| found.filter_map(|entry| Some(entry.ok()?.path().join("bin").join(name))).collect())
        .unwrap_or_default();
    versions.sort_by_key(|path: &PathBuf| version(path));
    let Some(path) = versions.into_iter().rfind(|path| path.exists()) else {
        panic!("PostgreSQL is missing: apt-get install postgresql (scripts/test does it)")
    };
    as_postgres(path)
}

/// Any program, as the user that PostgreSQL runs as.
fn as_postgres(path: impl AsRef<std::ffi::OsStr>) -> Command {
    let mut command = match postgres_user() {
        None => Command::new(path),
        Some((user, group)) => {
            let mut command = Command::new("setpriv");
            command.arg(format!("--reuid={user}")).arg(format!("--regid={group}")).arg("--clear-groups").arg(path);
            command
        }
    };
    command.env_clear().env("PATH", "/usr/bin:/bin").env("LC_ALL", "C.UTF-8").current_dir("/");
    command
}

fn version(path: &Path) -> u32 {
    path.components().filter_map(|part| part.as_os_str().to_str()?.parse().ok()).next_back().unwrap_or_default()
}

/// Whom root runs PostgreSQL as: Debian's package makes that user. None where this process is not root.
fn postgres_user() -> Option<(u32, u32)> {
    if fs::metadata("/proc/self").unwrap().uid() != 0 {
        return None;
    }
    let users = fs::read_to_string("/etc/passwd").unwrap();
    let ids = |line: &str| {
        let mut fields = line.strip_prefix("postgres:x:")?.split(':');
        Some((fields.next()?.parse().ok()?, fields.next()?.parse().ok()?))
    };
    Some(users.lines().find_map(ids).unwrap_or_else(|| panic!("there is no user postgres: apt-get install postgresql")))
}

fn run(command: &mut Command) -> String {
    let output = command.stdin(Stdio::null()).output().unwrap();
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}
