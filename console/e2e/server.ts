// A console of the real binary on a port of its own, and its end.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { BIN } from "./setup";

export interface Server {
  url: string;
  stop: () => Promise<void>;
}

/** Starts it; ready when it has printed its link. */
export async function serve(runs: string, root: string): Promise<Server> {
  const args = ["console", "--runs", runs, "--root", root, "--listen", "127.0.0.1:0", "--no-open"];
  const child: ChildProcess = spawn(BIN, args, { stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  const url = await new Promise<string>((resolve, reject) => {
    const look = (chunk: Buffer) => {
      said += chunk.toString();
      const link = /http:\/\/\S+/.exec(said);
      if (link !== null) resolve(link[0].replace(/[.,]$/, ""));
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
  return { url, stop };
}
