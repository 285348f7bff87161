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

/** Sends orders to the program. `askToken(wrong)` promises a token, or null if there is none. */
export function control(askToken, base = "") {
  async function order(name, what) {
    for (let wrong = false; ; wrong = true) {
      const token = sessionStorage.getItem(KEY) ?? (await askToken(wrong));
      if (token === null) return null;
      const answer = await fetch(`${base}api/${name}`, {
        method: "POST",
        headers: { "Content-Type": "application/json", Authorization: `Bearer ${token}` },
        body: JSON.stringify(what ?? {}),
      });
      if (answer.ok) {
        sessionStorage.setItem(KEY, token);
        return undefined;
      }
      if (answer.status !== 401) return (await answer.json().catch(() => ({}))).error ?? `The program refuses (${answer.status}).`;
      sessionStorage.removeItem(KEY);
    }
  }
  /** Promises what is wrong, in words, or nothing; null if there is no token. */
  return (name, what) => order(name, what).catch(() => "The program does not answer.");
}
