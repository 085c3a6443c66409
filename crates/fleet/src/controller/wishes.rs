//! How wishes reach the controller that conducts a run, and its answers whoever has them.
//!
//! Anything may be lost: whoever wishes says it until the answer shows that it is so.

use async_nats::{Client, SubscribeError, Subscriber};
use futures_util::StreamExt;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use super::wish::{Answered, Asked, STANDING, WISH};

/// The ways of wishes to a controller, and of its answers.
#[derive(Debug)]
pub struct WishWays {
    /// What is wished.
    pub wishes: UnboundedReceiver<Asked>,
    /// How it stands.
    pub answers: UnboundedSender<Answered>,
}

/// Opens the ways. They end with the connection, or when nobody uses them any more.
///
/// # Errors
/// When the server refuses the subscription.
pub async fn wish_ways(client: Client) -> Result<WishWays, SubscribeError> {
    let heard = client.subscribe(WISH).await?;
    let (wished, wishes) = unbounded_channel();
    let (answers, to_say) = unbounded_channel();
    tokio::spawn(carry(client, heard, wished, to_say));
    Ok(WishWays { wishes, answers })
}

async fn carry(
    client: Client,
    mut heard: Subscriber,
    wished: UnboundedSender<Asked>,
    mut to_say: UnboundedReceiver<Answered>,
) {
    loop {
        tokio::select! {
            message = heard.next() => {
                let Some(message) = message else { break };
                // What is no wish says nothing.
                if let Ok(asked) = serde_json::from_slice(&message.payload)
                    && wished.send(asked).is_err()
                {
                    break;
                }
            }
            answer = to_say.recv() => {
                let Some(answer) = answer else { break };
                let text = serde_json::to_vec(&answer).unwrap_or_default();
                // Whoever does not hear it asks again.
                let _ = client.publish(STANDING, text.into()).await;
            }
        }
    }
}
