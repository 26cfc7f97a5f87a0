import { Command } from 'commander';
import { readVersion } from '../server/base/version.js';

/** `version`: what this build is. */
export function versionCommand(): Command {
  return new Command('version')
    .description('show what this build is, and the schema that it brings')
    .option('--json', 'as JSON')
    .action(async ({ json }: { json?: true }) => {
      const { migrationNames } = await import('../db/schema/migrate.js');
      const build = { ...readVersion(), schema: migrationNames.at(-1) ?? '' };
      process.stdout.write(
        json === true
          ? `${JSON.stringify(build, null, 2)}\n`
          : `edge-controller ${build.version}\n  revision  ${build.revision}\n  built     ${build.buildDate}\n` +
              `  runtime   ${build.runtimeVersion}\n  schema    ${build.schema}\n`,
      );
    });
}
