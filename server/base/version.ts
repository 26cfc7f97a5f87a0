/** Version of this build. Revision and date come from the build step; a source checkout says so. */
import { readFileSync } from 'node:fs';
import type { VersionInfo } from '../../handlers/context.js';

interface BuildInfo {
  version: string;
  revision?: string;
  buildDate?: string;
}

export function readVersion(): VersionInfo {
  const info = JSON.parse(readFileSync(new URL('../../build.json', import.meta.url), 'utf8')) as BuildInfo;
  return {
    version: `v${info.version}`,
    revision: info.revision ?? 'unknown',
    buildDate: info.buildDate ?? 'unknown',
    runtimeVersion: `node${process.version}`,
  };
}
