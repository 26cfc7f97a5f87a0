/** The options of OpenAPI Generator for each language, such that the package works as it comes out. */
import type { ApiName } from '../spec-document.js';

export interface Recipe {
  /** Its name in OpenAPI Generator. */
  readonly generator: string;
  readonly library?: string;
  /** Where a package lives that is named by it: edge.example/sdk/edgeclient. */
  readonly module?: { readonly gitHost: string; readonly gitUserId: string; readonly gitRepoId: string };
  /** `--name-mappings`: names of properties that the generator would change without need. */
  readonly names?: Readonly<Record<string, string>>;
  /** `--additional-properties` of the generator. */
  readonly options: Readonly<Record<string, string>>;
}

const SHORT: Readonly<Record<string, string>> = { typescript: 'typescript-fetch' };

/** What an answer has beyond its document is no error (docs/compatibility.md). */
const OPEN = { disallowAdditionalPropertiesIfNotPresent: 'false' };
/** Nor is a value that an enumeration does not have. Go and Python lack this option: see `templates`. */
const OPEN_ENUMERATIONS = { enumUnknownDefaultCase: 'true' };

/** The call in the sample of the README, for our template of it; the fabric API has no login of its own. */
const EXAMPLES: Partial<Readonly<Record<ApiName, Readonly<Record<string, string>>>>> = {
  client: { exampleLogin: 'true', exampleApi: 'ServiceApi', exampleCall: 'listServices' },
  fabric: { exampleApi: 'RouterApi', exampleCall: 'listRouters' },
  management: { exampleLogin: 'true', exampleApi: 'ServiceApi', exampleCall: 'listServices' },
};

/** Parameters by name: one that is added later changes no call. TypeScript, Go and Python have them so by default. */
const REQUEST_OBJECTS = { useSingleRequestParameter: 'true' };

/** The languages that our tests build SDKs of. */
export const LANGUAGES = ['typescript', 'go', 'python', 'java'] as const;
export type Language = (typeof LANGUAGES)[number];

/** @param language  one of ours, or any name that OpenAPI Generator knows  @param version  of the package */
export function recipeOf(language: string, api: ApiName, version: string): Recipe {
  const generator = SHORT[language] ?? language;
  switch (generator) {
    case 'typescript-fetch':
      // An enumeration is a type here, which nothing checks when the program runs: no default case is needed.
      return {
        generator,
        options: {
          npmName: `edge-${api}`,
          npmVersion: version,
          supportsES6: 'true',
          importFileExtension: '.js',
          ...EXAMPLES[api],
        },
      };
    case 'go':
      return {
        generator,
        module: { gitHost: 'edge.example', gitUserId: 'sdk', gitRepoId: `edge${api}` },
        // Constants of all enumerations share the package: without the prefix some have the same name.
        options: {
          ...OPEN,
          packageName: `edge${api}`,
          packageVersion: version,
          enumClassPrefix: 'true',
          withGoMod: 'true',
        },
      };
    case 'python':
      return {
        generator,
        names: { field: 'field' },
        options: { ...OPEN, packageName: `edge_${api}`, projectName: `edge-${api}`, packageVersion: version },
      };
    case 'java':
      return {
        generator,
        library: 'native',
        options: {
          ...OPEN,
          ...OPEN_ENUMERATIONS,
          groupId: 'edge',
          artifactId: `edge-${api}`,
          artifactVersion: version,
          invokerPackage: `edge.${api}`,
          apiPackage: `edge.${api}.api`,
          modelPackage: `edge.${api}.model`,
          useJakartaEe: 'true',
          ...REQUEST_OBJECTS,
          hideGenerationTimestamp: 'true',
        },
      };
    default:
      return {
        generator,
        options: {
          ...OPEN,
          ...OPEN_ENUMERATIONS,
          ...REQUEST_OBJECTS,
          packageName: `edge_${api}`,
          packageVersion: version,
        },
      };
  }
}
