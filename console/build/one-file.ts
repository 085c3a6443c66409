// A plugin that puts script and style into the page itself, writes the content security policy with the
// script's hash, and names the licences of everything that is inside. It writes dist/reelgauge.html alone.

import { createHash } from "node:crypto";
import type { Plugin } from "vite";
import { licences } from "./licences.ts";

/** Everything is refused but this page's own script, styles, and talking to where it came from. */
function policy(scriptHash: string): string {
  return [
    "default-src 'none'",
    `script-src 'sha256-${scriptHash}'`,
    "style-src 'unsafe-inline'",
    "img-src data: blob:",
    "font-src data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
}

/** Text that an inline script may hold: nothing in it can end the element or open a comment. */
function inlineScript(code: string): string {
  return code.replace(/<\/script/gi, "<\\/script").replace(/<!--/g, "<\\!--");
}

export function oneFile(): Plugin {
  return {
    name: "one-file",
    enforce: "post",
    apply: "build",
    generateBundle(_options, bundle) {
      const page = Object.values(bundle).find((file) => file.fileName.endsWith(".html"));
      if (page?.type !== "asset") throw new Error("the build made no page");
      let script = "";
      let style = "";
      for (const [name, file] of Object.entries(bundle)) {
        if (file.type === "chunk") script += file.code;
        else if (name.endsWith(".css")) style += String(file.source);
        else if (file !== page) throw new Error(`${name} would be a file of its own`);
        delete bundle[name];
      }
      const code = inlineScript(script.trim());
      const hash = createHash("sha256").update(code, "utf8").digest("base64");
      const html = String(page.source)
        .replace(/<script type="module"[^>]*><\/script>\s*/g, "")
        .replace(/<link rel="stylesheet"[^>]*>\s*/g, "")
        .replace("<!--policy-->", () => `<meta http-equiv="Content-Security-Policy" content="${policy(hash)}">`)
        .replace("<!--style-->", () => `<style>${style.trim()}</style>`)
        .replace("<!--licences-->", () => licences())
        .replace("<!--script-->", () => `<script type="module">${code}</script>`);
      this.emitFile({ type: "asset", fileName: "reelgauge.html", source: html });
    },
  };
}
