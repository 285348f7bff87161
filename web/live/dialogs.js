// Questions to the user, and short messages.

import { setText } from "./dom.js";

/** Asks for the token; promises it, or null if the user does not want to. */
export function tokenDialog(dialog) {
  const field = dialog.querySelector("input"), wrongly = dialog.querySelector(".bad");
  return (wrong) => new Promise((answer) => {
    wrongly.hidden = !wrong;
    field.value = "";
    dialog.onclose = () => answer(dialog.returnValue === "send" && field.value ? field.value : null);
    dialog.returnValue = "";
    dialog.showModal();
    field.focus();
  });
}

/** Asks whether to do something that cannot be undone; promises yes or no. */
export function sureDialog(dialog) {
  return () => new Promise((answer) => {
    dialog.onclose = () => answer(dialog.returnValue === "yes");
    dialog.returnValue = "";
    dialog.showModal();
  });
}

/** Shows messages for a while. */
export function messages(place) {
  const STAYS_MS = 6000;
  let timer;
  return (text) => {
    if (!text) return;
    setText(place, text);
    place.hidden = false;
    clearTimeout(timer);
    timer = setTimeout(() => {
      place.hidden = true;
      setText(place, "");
    }, STAYS_MS);
  };
}
