// What the console asks of a passkey. The challenge is worked out here, from the statement's own text.

export function bytes(text) {
  const raw = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(raw, (character) => character.charCodeAt(0));
}

export function text(buffer) {
  const raw = String.fromCharCode(...new Uint8Array(buffer));
  return btoa(raw).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

async function sha256(said) {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(said)));
}

async function hex(said) {
  return Array.from(await sha256(said), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

// Refuses to sign a plan or a preview that is not the one whose bytes were handed over with the statement.
async function check(asked, plan) {
  const { body } = JSON.parse(asked.statement);
  if (!asked.parts && plan === undefined && body.plan === undefined) return;
  if (!asked.parts) throw new Error("The desk asks for a signature without what it is of. Nothing was signed.");
  const [ofPlan, ofPreview] = [await hex(asked.parts.plan), await hex(asked.parts.preview)];
  if (body.plan !== ofPlan || body.preview !== ofPreview || plan !== ofPlan) {
    throw new Error("The desk asks for a signature of something else than this page shows. Nothing was signed.");
  }
}

export async function signature(asked, plan) {
  await check(asked, plan);
  const challenge = await sha256("exchange-mcp desk statement v1\n" + asked.statement);
  const publicKey = {
    ...asked.options,
    challenge,
    allowCredentials: asked.options.allowCredentials.map((each) => ({ ...each, id: bytes(each.id) })),
  };
  const { rawId, response } = await navigator.credentials.get({ publicKey });
  return {
    ceremony: asked.ceremony,
    credential_id: text(rawId),
    authenticator_data: text(response.authenticatorData),
    client_data_json: text(response.clientDataJSON),
    signature: text(response.signature),
  };
}

export async function registration(options) {
  const publicKey = {
    ...options,
    challenge: bytes(options.challenge),
    user: { ...options.user, id: bytes(options.user.id) },
    excludeCredentials: (options.excludeCredentials ?? []).map((each) => ({ ...each, id: bytes(each.id) })),
  };
  const { rawId, response } = await navigator.credentials.create({ publicKey });
  return {
    credential_id: text(rawId),
    attestation_object: text(response.attestationObject),
    client_data_json: text(response.clientDataJSON),
  };
}
