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
    let quote = ask(request.call())?;
    let body = format!("{},\"quote\":{quote}}}", order.to_string().trim_end_matches('}'));
    let post = ureq::post(&format!("{gateway}/api/build")).set("content-type", "application/json");
    let built: Value = serde_json::from_str(&ask(post.send_string(&body))?)?;
    println!("{} {} {}", text(&built["provider"]), text(&built["verification"]["level"]), text(&built["to"]));
    Ok(())
}

fn ask(answer: Result<ureq::Response, ureq::Error>) -> Result<String, Box<dyn std::error::Error>> {
    match answer {
        Err(ureq::Error::Status(_, response)) => {
            let refused: Value = serde_json::from_str(&response.into_string()?)?;
            Err(format!("{}: {}", text(&refused["code"]), text(&refused["error"])).into())
        }
        answer => Ok(answer?.into_string()?),
    }
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
