import { Command } from 'commander';
import type { Finding, Level } from '../server/maintenance/finding.js';
import { configFile, configPlace, loadSettings } from './shared/config.js';
import { wrapped } from './shared/text.js';

interface Options {
  readonly json?: true;
  readonly all?: true;
}

/** `doctor`: what is wrong with this controller, and how to mend it; while it runs, and when it does not start. */
export function doctorCommand(): Command {
  return new Command('doctor')
    .description('look for what is wrong with this controller, running or not, and say how to mend it')
    .option('--json', 'as JSON')
    .option('--all', 'also compare all rows of the database, as the check of data integrity does')
    .addHelpText('after', '\nIt changes nothing. Run it as the user of the controller, with its settings.')
    .action(async ({ json, all }: Options, command: Command) => {
      const findings = await examined(command, all === true);
      const { endProcess } = await import('../server/base/process-end.js');
      const { readVersion } = await import('../server/base/version.js');
      const isOk = findings.every(({ level }) => level !== 'fault');
      process.stdout.write(
        json === true
          ? `${JSON.stringify({ ok: isOk, version: readVersion().version, findings }, null, 2)}\n`
          : report(findings),
      );
      endProcess(isOk ? 0 : 1);
    });
}

async function examined(command: Command, isThorough: boolean): Promise<Finding[]> {
  const { ConfigError } = await import('../server/settings/config.js');
  const { failed, passed, skipped, warning } = await import('../server/maintenance/finding.js');
  let read;
  try {
    read = await loadSettings(command);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const [head = '', ...faults] = error.message.split('\n');
    const fix = 'Correct it; docs/configuration.md has all settings.';
    return [
      ...(faults.length === 0 ? [head] : faults).map((text) => failed('configuration', sentence(text.trim()), fix)),
      skipped('everything else', 'Not looked at: it depends on the configuration.'),
    ];
  }
  const { examine } = await import('./doctor/examine.js');
  const { unknownVariableText } = await import('../server/settings/unknown-variables.js');
  const { config, unknown } = read;
  return [
    passed('configuration', `The configuration (from ${configPlace(command)}) has no fault.`),
    ...unknown.map((variable) =>
      warning('configuration', unknownVariableText(variable), 'Correct its name, or unset it.'),
    ),
    ...(await examine({ runtime: process.version, config, file: configFile(command), isThorough })),
  ];
}

const sentence = (text: string): string => (text.endsWith('.') ? text : `${text}.`);

const MARKS: Readonly<Record<Level, string>> = { ok: 'ok', warning: 'WARNING', fault: 'FAULT', skipped: 'skipped' };
const MARK = 9;

/** Formats findings for a terminal. Faults come last, where they are seen. */
function report(findings: readonly Finding[]): string {
  const order: readonly Level[] = ['ok', 'skipped', 'warning', 'fault'];
  const column = Math.max(...findings.map(({ check }) => check.length)) + 2;
  const indent = ' '.repeat(MARK + column);
  const lines = order
    .flatMap((level) => findings.filter((finding) => finding.level === level))
    .flatMap((finding) => {
      const { check, level, message, fix } = finding;
      const [first = '', ...rest] = wrapped(message, indent);
      const head = `${MARKS[level].padEnd(MARK)}${check.padEnd(column)}${first.trimStart()}`;
      return [head, ...rest, ...(fix === undefined ? [] : wrapped(`→ ${fix}`, indent))];
    });
  const count = (level: Level) => findings.filter((finding) => finding.level === level).length;
  const many = (n: number, what: string) => `${n} ${what}${n === 1 ? '' : 's'}`;
  return `${lines.join('\n')}\n\n${many(count('fault'), 'fault')}, ${many(count('warning'), 'warning')}.\n`;
}
