//! The verifier's program, loaded only where it is asked for.

/// Smaller than the default one, and the page is one thread.
#[cfg(target_arch = "wasm32")]
#[global_allocator]
static ALLOCATOR: talc::wasm::WasmDynamicTalc = talc::wasm::new_wasm_dynamic_allocator();

fn main() {
    web::verifier::run();
}
