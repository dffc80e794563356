/**
 * The hand-over and penpal's words, by hand: what any script on a host page can do that gets to the frame before the loader.
 * Leaves on `window`: `said`, everything that came over the port; `receipt`; `connected`; `call(path, ...args)`, which answers with penpal's
 * whole REPLY; `sendRaw`, for what does not wait for an answer.
 */
const frame = document.querySelector("iframe");
const waiting = new Map();
let nextId = 0;
let port;

function handOver() {
  const channel = new MessageChannel();
  port = channel.port1;
  window.said = [];
  window.receipt = null;
  window.connected = false;
  port.addEventListener("message", ({ data }) => {
    said.push(data);
    if (data?.type === "oriel:here") window.receipt = data;
    if (data?.type === "ACK1") {
      port.postMessage({ namespace: "penpal", channel: undefined, type: "ACK2" });
      window.connected = true;
    }
    if (data?.type === "CALL")
      port.postMessage({ namespace: "penpal", channel: undefined, type: "REPLY", callId: data.id, value: undefined });
    if (data?.type === "REPLY") waiting.get(data.callId)?.(data);
  });
  port.start();
  frame.contentWindow.postMessage({ type: "oriel:init", protocol: [1] }, "*", [channel.port2]);
  // The lowest id leaves the lead to the frame.
  port.postMessage({ namespace: "penpal", channel: undefined, type: "SYN", participantId: "" });
}

window.call = (methodPath, ...args) =>
  new Promise((resolve) => {
    const id = String(nextId++);
    waiting.set(id, resolve);
    setTimeout(resolve, 20_000, { type: "silence" }); // a busy machine is not silence
    port.postMessage({ namespace: "penpal", channel: undefined, type: "CALL", id, methodPath, args });
  });
window.sendRaw = (message) => port.postMessage(message);

window.wrong = [];
addEventListener("message", ({ data }) => wrong.push(data));
frame.addEventListener("load", handOver);
frame.src = "{{embedUrl}}";
