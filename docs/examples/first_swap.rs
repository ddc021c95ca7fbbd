//! A quote and the unsigned transaction for it, with the crates ureq 2 and serde_json.
use serde_json::{json, Value};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let gateway = std::env::var("GATEWAY").unwrap_or("http://localhost:8080".into());
    let order = json!({
        "chain": "base", "side": "sell", "amount": "250", "slippageBps": 100,
        "token": "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
        "from": "0x52908400098527886E0F7030069857D2E4169EE7",
    });
    let mut request = ureq::get(&format!("{gateway}/api/quote"));
    for (name, value) in order.as_object().unwrap() {
        let text = value.as_str().map_or(value.to_string(), String::from);
        request = request.query(name, &text);
    }
    // The whole quote goes back, unchanged: as text, so that no number is rounded.
    let quote = request.call()?.into_string()?;
    let body = format!("{},\"quote\":{quote}}}", order.to_string().trim_end_matches('}'));
    let built = ureq::post(&format!("{gateway}/api/build"))
        .set("content-type", "application/json")
        .send_string(&body)?
        .into_string()?;
    let built: Value = serde_json::from_str(&built)?;
    let text = |value: &Value| value.as_str().unwrap_or_default().to_string();
    println!("{} {} {}", text(&built["provider"]), text(&built["verification"]["level"]), text(&built["to"]));
    Ok(())
}
