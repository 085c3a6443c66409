// A console of the real binary on a port of its own, and its end.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { BIN } from "./setup";

export interface Server {
  /** Where it is, without what lets a browser in. */
  url: string;
  /** The link that it printed: whoever opens it is let in. */
  link: string;
  stop: () => Promise<void>;
}

/** Starts it; ready when it has printed its link. */
export async function serve(runs: string, root: string): Promise<Server> {
  const args = ["console", "--runs", runs, "--root", root, "--listen", "127.0.0.1:0", "--no-open"];
  const child: ChildProcess = spawn(BIN, args, { stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  const link = await new Promise<string>((resolve, reject) => {
    const look = (chunk: Buffer) => {
      said += chunk.toString();
      const printed = /http:\/\/\S+(?=\n)/.exec(said);
      if (printed !== null) resolve(printed[0]);
    };
    child.stdout?.on("data", look);
    child.stderr?.on("data", look);
    child.once("exit", () => reject(new Error(`the console ended: ${said}`)));
  });
  const stop = async () => {
    if (child.exitCode !== null) return;
    const ended = once(child, "exit");
    child.kill("SIGINT");
    await ended;
  };
  return { url: link.split("#")[0] ?? link, link, stop };
}
