/**
 * Does the hand-over and speaks penpal's protocol by hand, which any script on a host page can do if it reaches the
 * iframe before the loader. Sets on `window`: `said`, everything received over the port; `receipt`; `connected`;
 * `call(path, ...args)`, which resolves to penpal's REPLY; and `sendRaw`, for messages that need no reply.
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
  // The lowest ID gives the lead to the iframe.
  port.postMessage({ namespace: "penpal", channel: undefined, type: "SYN", participantId: "" });
}

window.call = (methodPath, ...args) =>
  new Promise((resolve) => {
    const id = String(nextId++);
    waiting.set(id, resolve);
    setTimeout(resolve, 20_000, { type: "silence" }); // a slow machine isn't silence
    port.postMessage({ namespace: "penpal", channel: undefined, type: "CALL", id, methodPath, args });
  });
window.sendRaw = (message) => port.postMessage(message);

window.wrong = [];
addEventListener("message", ({ data }) => wrong.push(data));
frame.addEventListener("load", handOver);
frame.src = "{{embedUrl}}";
