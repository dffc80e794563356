import { describe, expect, it } from "vitest";
import { Processes } from "./processes.ts";

describe("Processes", () => {
  it("runs an action to its end, with what it left in the background", async () => {
    const processes = new Processes(() => {});
    let isDone = false;
    const later = async () => {
      await processes.point();
      isDone = true;
    };
    const ended = await processes.run(null, async () => {
      processes.inBackground(later());
      return "done";
    });
    expect(ended).toEqual({ died: false, result: "done" });
    expect(isDone).toBe(true);
  });

  it("lets a process die at a point, without running anything after it", async () => {
    let forgotten = 0;
    const processes = new Processes(() => forgotten++);
    const seen: string[] = [];
    const ended = await processes.run(1, async () => {
      try {
        await processes.point();
        seen.push("first");
        processes.current()?.held.add(async () => void seen.push("released"));
        await processes.point();
        seen.push("second");
      } finally {
        seen.push("finally");
      }
    });
    expect(ended).toEqual({ died: true });
    await new Promise(setImmediate);
    expect(seen).toEqual(["first", "released"]);
    expect(forgotten).toBe(1);
  });

  it("lets only the process of the point die", async () => {
    const processes = new Processes(() => {});
    const outer = await processes.run(5, async () => {
      const inner = await processes.run(0, () => processes.point());
      await processes.point();
      return inner;
    });
    expect(outer).toEqual({ died: false, result: { died: true } });
  });
});
