//! The page's program.

fn main() {
    web::run();
}
