//! What differs between browsers: how their driver is started, and which capabilities ask for what a test needs. All
//! else is WebDriver, the same for every engine.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

/// A browser engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    /// Chromium, by chromedriver.
    Chromium,
}

/// The window that a page is seen in, in CSS pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// Its width.
    pub width: u32,
    /// Its height.
    pub height: u32,
    /// A phone: touch, three device pixels to one.
    pub phone: bool,
}

impl Size {
    /// A small laptop.
    pub const DESKTOP: Self = Self { width: 1280, height: 800, phone: false };
    /// An ordinary phone.
    pub const PHONE: Self = Self { width: 360, height: 740, phone: true };
    /// The narrowest that the page is made for.
    pub const NARROWEST: Self = Self { width: 320, height: 568, phone: true };
}

impl Engine {
    /// The one that the environment's `QOD_ENGINE` names; Chromium where it names none.
    ///
    /// # Panics
    /// It names an unknown one.
    #[must_use]
    pub fn from_environment() -> Self {
        match std::env::var("QOD_ENGINE").as_deref() {
            Err(_) | Ok("" | "chromium") => Self::Chromium,
            Ok(other) => panic!("QOD_ENGINE={other}: only chromium is driven so far"),
        }
    }

    /// The driver's program, and its arguments to listen on that port.
    #[must_use]
    pub fn driver(self, port: u16) -> (PathBuf, Vec<String>) {
        match self {
            Self::Chromium => {
                let program = std::env::var_os("CHROMEDRIVER").unwrap_or_else(|| "chromedriver".into());
                (program.into(), vec![format!("--port={port}")])
            }
        }
    }

    /// What to do where the driver cannot be started.
    #[must_use]
    pub const fn hint(self) -> &'static str {
        match self {
            Self::Chromium => {
                "chromedriver is needed (Debian: apt-get install chromium chromium-driver), on the PATH or named by CHROMEDRIVER"
            }
        }
    }

    /// The capabilities of a session in a fresh profile, whose downloads go to that folder.
    #[must_use]
    pub fn capabilities(self, size: Size, profile: &Path, downloads: &Path) -> Value {
        match self {
            Self::Chromium => {
                let mut options = json!({
                    "args": [
                        "--headless",
                        "--no-sandbox",
                        "--disable-gpu",
                        "--disable-dev-shm-usage",
                        "--no-first-run",
                        "--disable-background-networking",
                        "--disable-component-update",
                        "--disable-sync",
                        "--lang=fr-FR",
                        "--hide-scrollbars",
                        format!("--user-data-dir={}", profile.display()),
                        format!("--window-size={},{}", size.width, size.height),
                    ],
                    "prefs": {
                        "download.default_directory": downloads,
                        "download.prompt_for_download": false,
                        "intl.accept_languages": "fr-FR,fr",
                    },
                });
                if let Ok(binary) = std::env::var("CHROMIUM") {
                    options["binary"] = binary.into();
                }
                if size.phone {
                    options["mobileEmulation"] = json!({
                        "deviceMetrics": {
                            "width": size.width, "height": size.height, "pixelRatio": 3, "mobile": true, "touch": true,
                        },
                    });
                }
                json!({
                    "browserName": "chrome",
                    "goog:chromeOptions": options,
                    "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"},
                })
            }
        }
    }

    /// Whether the driver hands out the console and every request that was made.
    #[must_use]
    pub const fn has_logs(self) -> bool {
        matches!(self, Self::Chromium)
    }

    /// Where its driver hands out a log.
    #[must_use]
    pub const fn log_path(self) -> &'static str {
        match self {
            Self::Chromium => "/se/log",
        }
    }
}
