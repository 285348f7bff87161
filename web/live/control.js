// What may be asked of the run. The token is asked for once, and kept for as long as the tab. The address may bring it
// (`#token=...`, which a browser does not send).

const KEY = "thalweg token";

/** Keeps the token that the address brings, and takes it out of what the user sees and shares. */
export function takeToken() {
  const token = new URLSearchParams(location.hash.slice(1)).get("token");
  if (!token) return;
  sessionStorage.setItem(KEY, token);
  history.replaceState(null, "", location.pathname + location.search);
}

// Asks with the token, and for it. Promises what the program says: `{ error }` if it refuses; null without a token.
async function asked(askToken, address, how = {}) {
  for (let wrong = false; ; wrong = true) {
    const token = sessionStorage.getItem(KEY) ?? (await askToken(wrong));
    if (token === null) return null;
    const answer = await fetch(address, { ...how, headers: { ...how.headers, Authorization: `Bearer ${token}` } });
    if (answer.ok) {
      sessionStorage.setItem(KEY, token);
      return answer.json();
    }
    if (answer.status !== 401) return { error: (await answer.json().catch(() => ({}))).error ?? `The program refuses (${answer.status}).` };
    sessionStorage.removeItem(KEY);
  }
}

const silent = () => ({ error: "The program does not answer." });

/** Sends orders to the program. `askToken(wrong)` promises a token, or null if there is none. */
export function control(askToken, base = "") {
  /** Promises what is wrong, in words, or nothing; null if there is no token. */
  return async (name, what) => {
    const how = { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(what ?? {}) };
    const answer = await asked(askToken, `${base}api/${name}`, how).catch(silent);
    return answer === null ? null : answer.error;
  };
}

/** Asks the program for items on their way: see `tap`. */
export function looker(askToken, base = "") {
  return (query) => asked(askToken, `${base}api/tap?${new URLSearchParams(query)}`).catch(silent);
}
