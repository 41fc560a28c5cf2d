//! A server with tickets, and players who use public routes only. What they do is valid unless a test says otherwise.

use std::path::Path;
use std::sync::atomic::{AtomicI64, AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::{HeaderMap, Request, header};
use protocol::{
    CallError, Client, ContinueRequest, FirstContinue, GameView, Method, PickAnswer, PickRequest, Problem, ProblemCode,
    QuitRequest, Request as Call, Response as Answer, SessionRequest, Transport, Unreachable, routes,
};
use rules::{Code, ControlCode, Nature, Number, PotentialGain, Terms, Timestamp};
use seal::hash::Keyed;
use seal::receipt::{PublishedKey, PublishedKeys, ReceiptKey};
use seal::{ClientSeed, DrawKey, Json, Pepper, PlayersHalf, SealedGrid, ServerSeed, Transcript};
use server::audit::Audit;
use server::{
    Acknowledged, App, EmissionKeys, Keys, LimitSettings, Limits, Metrics, Readiness, ReceiptKeys, ReceiptSigner,
    Settings, Site, Warm, records,
};
use store::{KeyedHash, MemoryStore, Store, Ticket, TicketId, TicketNumber};
use tower::ServiceExt as _;

/// The emission of every ticket here.
pub(crate) const EMISSION: u16 = 1;
/// Its keys.
pub(crate) const KEYS: EmissionKeys = EmissionKeys { draw: DrawKey([7; 32]), pepper: Pepper([8; 32]) };
/// When a trial begins.
pub(crate) const T0: i64 = 1_800_000_000_000;

/// 30 × 24 h, in milliseconds.
pub(crate) const THIRTY_DAYS: i64 = 30 * 24 * 60 * 60 * 1000;

/// The receipt keys: the second takes the place of the first a day after the beginning.
pub(crate) fn receipt_keys() -> ReceiptKeys {
    let signers = [5, 6].map(|byte| ReceiptKey::from_secret(&[byte; 32]));
    let change = Timestamp::from_millis(T0 + 24 * 60 * 60 * 1000);
    let key = |at: usize, from, until| PublishedKey { public: signers[at].public(), from, until };
    let published = PublishedKeys::new(vec![key(0, Timestamp::from_millis(0), Some(change)), key(1, change, None)]);
    ReceiptKeys::new(published.unwrap(), signers.to_vec()).unwrap()
}

/// What signs with them.
pub(crate) fn signer() -> ReceiptSigner {
    ReceiptSigner::new(receipt_keys())
}

/// A server.
pub(crate) struct Trial {
    pub(crate) router: Router,
    pub(crate) app: Arc<App>,
    pub(crate) keys: EmissionKeys,
    shared: Shared,
    issued: AtomicU32,
    /// All that left the server, headers and bodies.
    pub(crate) heard: Mutex<Vec<String>>,
}

/// What servers beside each other have in common, apart from their store.
#[derive(Clone)]
struct Shared {
    clock: Arc<AtomicI64>,
    /// How often randomness was drawn: no two draws are the same.
    drawn: Arc<AtomicU32>,
}

/// An answer.
#[derive(Debug)]
pub(crate) struct Heard {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Vec<u8>,
}

/// A ticket that was issued.
#[derive(Clone, Copy)]
#[allow(dead_code, reason = "points of sale name it by its number and control code, players by its code")]
pub(crate) struct Issued {
    pub(crate) code: Code,
    pub(crate) control: ControlCode,
    pub(crate) number: rules::TicketNumber,
    pub(crate) id: TicketId,
}

/// A player with a session.
pub(crate) struct Player<'a> {
    pub(crate) trial: &'a Trial,
    client: Client<Wire<'a>>,
    pub(crate) token: String,
    pub(crate) seed: ClientSeed,
    pub(crate) game: GameView,
}

impl Trial {
    /// Over a store in memory.
    pub(crate) async fn new() -> Self {
        Self::over(Arc::new(MemoryStore::new())).await
    }

    /// Over this store.
    pub(crate) async fn over(store: Arc<dyn Store>) -> Self {
        Self::with(store, KEYS, Settings::default(), page_folder().path()).await
    }

    /// With this page.
    pub(crate) async fn of_page(page: &Path) -> Self {
        Self::with(Arc::new(MemoryStore::new()), KEYS, Settings::default(), page).await
    }

    /// With these settings.
    pub(crate) async fn set(settings: Settings) -> Self {
        Self::with(Arc::new(MemoryStore::new()), KEYS, settings, page_folder().path()).await
    }

    /// With these bounds on hostile clients.
    pub(crate) async fn limited(limits: LimitSettings) -> Self {
        let (store, held) = (Arc::new(MemoryStore::new()), Keys::from_iter([(EMISSION, KEYS)]));
        let page = page_folder();
        Self::made_of(store, KEYS, held, Settings::default(), Limits::new(limits), page.path()).await
    }

    /// Which holds these keys at first.
    pub(crate) async fn with_keys(held: Keys) -> Self {
        let (store, page) = (Arc::new(MemoryStore::new()), page_folder());
        Self::made_of(store, KEYS, held, Settings::default(), Limits::default(), page.path()).await
    }

    /// Whose games are drawn with this key.
    pub(crate) async fn drawn_with(draw: DrawKey) -> Self {
        let keys = EmissionKeys { draw, ..KEYS };
        Self::with(Arc::new(MemoryStore::new()), keys, Settings::default(), page_folder().path()).await
    }

    async fn with(store: Arc<dyn Store>, keys: EmissionKeys, settings: Settings, page: &Path) -> Self {
        let held = Keys::from_iter([(EMISSION, keys)]);
        Self::made_of(store, keys, held, settings, Limits::default(), page).await
    }

    async fn made_of(
        store: Arc<dyn Store>,
        keys: EmissionKeys,
        held: Keys,
        settings: Settings,
        limits: Limits,
        page: &Path,
    ) -> Self {
        store.add_emission(records::emission(EMISSION, &Terms::default()).unwrap()).await.unwrap();
        Self::of(
            store,
            keys,
            held,
            settings,
            limits,
            page,
            Shared { clock: Arc::new(AtomicI64::new(T0)), drawn: Arc::default() },
        )
    }

    /// Another server over the same store, with the same clock.
    pub(crate) fn beside(&self) -> Self {
        self.beside_over(Arc::clone(&self.app.store))
    }

    /// The same, with connections of its own to where the same is kept.
    pub(crate) fn beside_over(&self, store: Arc<dyn Store>) -> Self {
        let held = Keys::from_iter([(EMISSION, self.keys)]);
        let (limits, page) = (Limits::default(), page_folder());
        Self::of(store, self.keys, held, self.app.settings, limits, page.path(), self.shared.clone())
    }

    fn of(
        store: Arc<dyn Store>,
        keys: EmissionKeys,
        held: Keys,
        settings: Settings,
        limits: Limits,
        page: &Path,
        shared: Shared,
    ) -> Self {
        let (told, draws) = (Arc::clone(&shared.clock), Arc::clone(&shared.drawn));
        let app = Arc::new(App {
            store,
            keys: held,
            receipts: signer(),
            clock: Box::new(move || Timestamp::from_millis(told.load(Ordering::SeqCst))),
            random: Box::new(move |bytes: &mut [u8]| {
                let draw = draws.fetch_add(1, Ordering::SeqCst).to_be_bytes();
                let stream = Keyed::new(&[3; 32]).mac(&[&draw]);
                bytes.iter_mut().zip(stream).for_each(|(byte, drawn)| *byte = drawn);
                Ok(())
            }),
            settings,
            limits,
            metrics: Metrics::default(),
            readiness: Readiness::default(),
            warm: Warm::default(),
            acknowledged: Acknowledged::default(),
            audit: Audit::default(),
        });
        let router = server::router(Arc::clone(&app), Site::load(page).unwrap());
        Self { router, app, keys, shared, issued: AtomicU32::new(0), heard: Mutex::default() }
    }

    /// Puts the clock to so many milliseconds after the beginning.
    pub(crate) fn set_clock(&self, millis: i64) {
        self.shared.clock.store(T0 + millis, Ordering::SeqCst);
    }

    /// Changes the settings of the emission.
    pub(crate) async fn set_terms(&self, terms: Terms) {
        let current = self.app.store.emission(EMISSION).await.unwrap().unwrap();
        let next = records::emission(EMISSION, &terms).unwrap();
        self.app.store.replace_emission(current, next).await.unwrap();
    }

    /// Issues a ticket with that potential gain, in whole euros; 0 for a losing one.
    pub(crate) async fn issue(&self, potential_gain_eur: u32) -> Issued {
        let serial = self.issued.fetch_add(1, Ordering::SeqCst) + 1;
        let code = code(serial);
        let number = TicketNumber { emission: EMISSION, block: 1, serial };
        let mut id = [0x40; 16];
        id[12..].copy_from_slice(&serial.to_be_bytes());
        let ticket = Ticket {
            id: TicketId(id),
            number,
            code_hash: KeyedHash(KEYS.pepper.code_hash(&code)),
            control_hash: KeyedHash(KEYS.pepper.control_hash(records::number(number).unwrap(), &control(serial))),
            potential_gain_eur,
        };
        self.app.store.import(vec![ticket]).await.unwrap();
        Issued { code, control: control(serial), number: records::number(number).unwrap(), id: ticket.id }
    }

    /// A player who has just opened a new ticket.
    pub(crate) async fn player(&self, potential_gain: PotentialGain) -> Player<'_> {
        let issued = self.issue(potential_gain.eur()).await;
        self.open(issued).await
    }

    /// A player who has just opened this ticket.
    pub(crate) async fn open(&self, issued: Issued) -> Player<'_> {
        let client = Client::new(Wire(self));
        let opened = match client.open(&issued.code.grouped()).await {
            Ok(opened) => opened,
            Err(error) => panic!("{error:?}"),
        };
        Player { trial: self, client, token: opened.token, seed: ClientSeed([9; 32]), game: opened.game }
    }

    /// Sends a request as it is.
    pub(crate) async fn send(&self, request: Request<Body>) -> Heard {
        let (method, path) = (request.method().as_str().to_lowercase(), request.uri().path().to_owned());
        let response = self.router.clone().oneshot(request).await.unwrap();
        let (parts, body) = response.into_parts();
        let body = to_bytes(body, usize::MAX).await.unwrap().to_vec();
        let heard = Heard { status: parts.status.as_u16(), headers: parts.headers, body };
        crate::description::holds(&crate::description::PLAYERS, &method, &path, &heard);
        self.heard.lock().unwrap().push(format!("{:?}\n{}", heard.headers, heard.text()));
        heard
    }

    /// GET, with these headers.
    pub(crate) async fn get(&self, path: &str, headers: &[(&str, &str)]) -> Heard {
        self.send(request("GET", path, headers, String::new())).await
    }

    /// POST of a JSON body.
    pub(crate) async fn post(&self, path: &str, token: Option<&str>, body: impl Into<String>) -> Heard {
        let bearer = token.map(|token| format!("Bearer {token}"));
        let mut headers = vec![("content-type", "application/json")];
        headers.extend(bearer.as_deref().map(|bearer| ("authorization", bearer)));
        self.send(request("POST", path, &headers, body.into())).await
    }

    /// Asks for a session by the text of a code.
    pub(crate) async fn enter(&self, code: &str) -> Heard {
        self.post(routes::SESSIONS, None, SessionRequest { code: code.to_owned() }.to_json()).await
    }
}

impl Heard {
    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().unwrap())
    }

    pub(crate) fn json(&self) -> Json {
        Json::parse(&self.text()).unwrap()
    }

    /// The problem document that this must be.
    #[track_caller]
    pub(crate) fn problem(&self) -> Problem {
        let problem = Problem::read(&self.json()).unwrap_or_else(|| panic!("no problem: {}", self.text()));
        assert_eq!(self.header("content-type"), Some("application/problem+json"));
        assert_eq!(self.header("cache-control"), Some("no-store"));
        assert_eq!(self.status, problem.code.status());
        assert_eq!(self.json().get("status").and_then(Json::as_int), Some(self.status.into()));
        problem
    }

    /// Requires that this is that problem.
    #[track_caller]
    pub(crate) fn is(&self, code: ProblemCode) -> Problem {
        let problem = self.problem();
        assert_eq!(problem.code, code, "{problem:?}");
        problem
    }
}

impl Player<'_> {
    /// The body of the CONTINUER that starts the game.
    pub(crate) fn first(&self) -> ContinueRequest {
        let first = FirstContinue { commitment: self.game.commitment, client_seed: self.seed };
        ContinueRequest { seq: 0, first: Some(first) }
    }

    /// Starts the game.
    pub(crate) async fn start(&mut self) {
        self.game = self.client.go_on(&self.token, &self.first()).await.unwrap().game;
    }

    /// CONTINUER on a palier.
    pub(crate) async fn go_on(&mut self) {
        let request = ContinueRequest { seq: self.game.seq, first: None };
        self.game = self.client.go_on(&self.token, &request).await.unwrap().game;
    }

    /// QUITTER.
    pub(crate) async fn quit(&mut self) -> Result<(), CallError> {
        self.game = self.client.quit(&self.token, &QuitRequest { seq: self.game.seq }).await?.game;
        Ok(())
    }

    /// A pick.
    pub(crate) async fn pick(&mut self, number: Number) -> PickAnswer {
        let answer = self.client.pick(&self.token, &PickRequest { seq: self.game.seq, number }).await;
        let answer = answer.unwrap_or_else(|error| panic!("{error:?}"));
        self.game = answer.game.clone();
        answer
    }

    /// The game as the server has it.
    pub(crate) async fn reload(&mut self) {
        self.game = self.client.game(&self.token).await.unwrap();
    }

    /// The transcript so far.
    pub(crate) async fn transcript(&self) -> Result<Transcript, CallError> {
        self.client.transcript(&self.token).await
    }

    /// A request with this player's token, answered in full.
    pub(crate) async fn post(&self, path: &str, body: impl Into<String>) -> Heard {
        self.trial.post(path, Some(&self.token), body).await
    }

    /// A pick, answered in full.
    pub(crate) async fn send_pick(&self, seq: u32, number: Number) -> Heard {
        self.post(routes::PICKS, PickRequest { seq, number }.to_json()).await
    }

    /// Starts the game and finds so many good numbers, going on at each palier on the way.
    pub(crate) async fn find(&mut self, count: usize) {
        self.start().await;
        for number in self.numbers(Nature::Good).into_iter().take(count) {
            if self.game.state == protocol::StateName::OnPalier {
                self.go_on().await;
            }
            self.pick(number).await;
        }
    }

    /// Good or losing numbers, as only a test that holds the draw key knows them.
    pub(crate) fn numbers(&self, nature: Nature) -> Vec<Number> {
        let grid = SealedGrid::new(&self.server_seed());
        let half = PlayersHalf::new(&self.seed, &self.game.commitment);
        let losing = nature == Nature::Losing;
        Number::all().filter(|number| grid.is_losing(half.cell(*number)) == losing).collect()
    }

    /// What the draw of this ticket is made from.
    pub(crate) fn server_seed(&self) -> ServerSeed {
        self.trial.keys.draw.server_seed(self.game.ticket_id)
    }
}

/// The typed client's requests go through the router.
struct Wire<'a>(&'a Trial);

impl Transport for Wire<'_> {
    async fn send(&self, call: Call<'_>) -> Result<Answer, Unreachable> {
        let bearer = call.token.map(|token| format!("Bearer {token}"));
        let mut headers = vec![];
        headers.extend(bearer.as_deref().map(|bearer| ("authorization", bearer)));
        headers.extend(call.body.is_some().then_some(("content-type", "application/json")));
        let method = match call.method {
            Method::Get => "GET",
            Method::Post => "POST",
        };
        let heard = self.0.send(request(method, call.path, &headers, call.body.unwrap_or_default())).await;
        Ok(Answer { status: heard.status, body: heard.text() })
    }
}

/// A request.
pub(crate) fn request(method: &str, path: &str, headers: &[(&str, &str)], body: String) -> Request<Body> {
    let mut request = Request::builder().method(method).uri(path).header(header::HOST, "localhost");
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    request.body(Body::from(body)).unwrap()
}

/// A folder with the smallest page.
pub(crate) fn page_folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("index.html"), "<!doctype html><title>Quitte ou Double</title>").unwrap();
    folder
}

/// A valid code, another one for each number.
pub(crate) fn code(number: u32) -> Code {
    let [a, b, c, d] = digits(number);
    (0..31).find_map(|last| Code::from_body([5, 6, 7, a, b, c, d, 8, 9, 10, 11, 12, 13, 14, 15, last])).unwrap()
}

/// A control code, another one for each number.
pub(crate) fn control(number: u32) -> ControlCode {
    let [a, b, c, d] = digits(number);
    ControlCode::from_symbols([1, 2, 3, 4, a, b, c, d]).unwrap()
}

fn digits(number: u32) -> [u8; 4] {
    [3, 2, 1, 0].map(|place| (number / 31_u32.pow(place) % 31) as u8)
}
