// What may be asked of the run. The token is asked for once, and kept for as long as the tab.

const KEY = "thalweg token";

/** Sends orders to the program. `askToken(wrong)` promises a token, or null if there is none. */
export function control(askToken, base = "") {
  async function order(name, what) {
    for (let wrong = false; ; wrong = true) {
      const token = sessionStorage.getItem(KEY) ?? (await askToken(wrong));
      if (token === null) return undefined;
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
  /** Promises what is wrong, in words, or nothing. */
  return (name, what) => order(name, what).catch(() => "The program does not answer.");
}
