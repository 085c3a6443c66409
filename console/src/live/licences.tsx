// The licences of the packages in the page.

import { licences } from "../data/embedded";
import { Section } from "../parts/section";
import { Shell } from "../parts/shell";
import { ConsoleBar } from "./bar";

export function LicencesPage() {
  return (
      <Shell title="Licences" kind="Console" sections={[]} back={<ConsoleBar here="licences" />}>
        <h1>Licences</h1>
        <p>Reelgauge is under the MIT licence or the Apache licence 2.0, at your choice. This page uses:</p>
        {licences().map((entry) => (
          <Section id={`licence-${entry.name.replace(/\W+/g, "-")}`} title={`${entry.name} ${entry.version}`} about={entry.licence}>
            <pre class="licence" tabIndex={0} aria-label={`Licence of ${entry.name}`}>
              {entry.text}
            </pre>
          </Section>
        ))}
      </Shell>
  );
}
