/** The suite that an option given as a function is called with. */
export interface SuiteFacts {
  framework: string
  /** The project's name; empty when it has none. */
  project: string
  /** Path relative to the project root; for several suites in a run, the project's name or `(execution)`. */
  file: string
}

export interface UnitUnderTestOption {
  serialNumber: string
  partNumber?: string
  revision?: string
  /** The batch that the unit was made in; only for our own service. */
  batchNumber?: string
}

export type RunPer = 'suite' | 'project' | 'execution'

/**
 * Options of every reporter. Each may be left out; an option goes before its environment variable, that before the
 * local credentials (`.runledger/credentials.json`), those before the default. The variable stands after the default.
 */
// A type, not an interface, because Jest requires an index signature of reporter options.
export type Options = {
  /** Address of the service. @default the local credentials' address (`RUNLEDGER_URL`) */
  url?: string
  /** API key of the service. @default the local credentials' key (`RUNLEDGER_API_KEY`) */
  apiKey?: string
  /**
   * Identifier of the procedure that runs belong to, or a function of the suite.
   * @default the local credentials' procedure (`RUNLEDGER_PROCEDURE_ID`)
   */
  procedureId?: string | ((suite: SuiteFacts) => string)
  /**
   * The unit under test, `{ serialNumber, partNumber, revision, batchNumber }`, or a function of the suite.
   * @default the software: part = package name, revision = package version (else `A`), serial number = package name + `@` + short commit (else host name), each cut to 60 characters (`RUNLEDGER_SERIAL_NUMBER`, `RUNLEDGER_PART_NUMBER`, `RUNLEDGER_REVISION`, `RUNLEDGER_BATCH_NUMBER`)
   */
  unitUnderTest?: UnitUnderTestOption | ((suite: SuiteFacts) => UnitUnderTestOption)
  /**
   * Serial numbers of units that are part of the unit under test, or a function of the suite.
   * @default none (`RUNLEDGER_SUB_UNITS`, separated by commas)
   */
  subUnits?: string[] | ((suite: SuiteFacts) => string[])
  /**
   * Report variables of your own; they cannot replace Runledger's.
   * @default none (`RUNLEDGER_REPORT_VARIABLES`, a JSON object)
   */
  reportVariables?: Record<string, string | number | boolean>
  /**
   * Whether each suite becomes a run, or all suites of a project or of the execution share one.
   * @default 'suite' (`RUNLEDGER_RUN_PER`)
   */
  runPer?: RunPer
  /**
   * The id that all runs of one execution or CI build share. Above 255 characters it is shortened.
   * @default the CI build's id, else a new one for each execution (`RUNLEDGER_GROUP`)
   */
  group?: string
  /**
   * The shard of the execution and the number of shards, such as `2/5`, if the framework's own options do not set it.
   * @default what the framework says; set by `runledger shard` (`RUNLEDGER_SHARD`)
   */
  shard?: string
  /**
   * The branch that failures on other branches are compared with, for a CI or a clone that does not name it.
   * @default what the CI names, else the clone's `origin/HEAD` (`RUNLEDGER_DEFAULT_BRANCH`)
   */
  defaultBranch?: string
  /** Attach each suite's log, where it says more than the steps do. @default true (`RUNLEDGER_LOGS`) */
  logs?: boolean
  /** Send screenshots, videos, traces and other files. @default true (`RUNLEDGER_ATTACHMENTS`) */
  attachments?: boolean
  /**
   * Largest attachment that is sent, in bytes; larger ones are named in the log.
   * @default 104857600 (100 MiB) (`RUNLEDGER_MAX_ATTACHMENT_BYTES`)
   */
  maxAttachmentBytes?: number
  /**
   * Longest time that delivery may take after the last test, in milliseconds, including retries.
   * @default 60000 (`RUNLEDGER_DEADLINE_MS`)
   */
  deadlineMs?: number
  /**
   * Longest time that one request may wait for a response, in milliseconds; a file's bytes may take until the deadline.
   * @default 15000 (`RUNLEDGER_REQUEST_TIMEOUT_MS`)
   */
  requestTimeoutMs?: number
  /** Extra tries of a request that got no response, 408, 429 or 5xx but 501. @default 4 (`RUNLEDGER_MAX_RETRIES`) */
  maxRetries?: number
  /** Most requests under way at once; fewer while the service is slow or overloaded. @default 32 (`RUNLEDGER_CONCURRENCY`) */
  concurrency?: number
  /**
   * Folder in which runs wait until they are delivered; relative to the project root.
   * @default a folder of the user's and the project's: below `~/.local/state/runledger/spool` on Linux (`RUNLEDGER_SPOOL_DIR`)
   */
  spoolDir?: string
  /** Fail the execution when a run could not be delivered. @default false (`RUNLEDGER_FAIL_ON_UPLOAD_ERROR`) */
  failOnUploadError?: boolean
  /**
   * Let the execution pass if every failure in it is quarantined (docs/quarantine.md); Jest, Vitest and node:test need
   * `runledger run -- COMMAND` for it.
   * @default false (`RUNLEDGER_QUARANTINE`)
   */
  quarantine?: boolean
  /** PEM file of certificate authorities to trust beside the usual ones. @default none (`RUNLEDGER_CA_FILE`) */
  caFile?: string
  /**
   * PEM file of the certificate with which this client names itself to a service that asks for one.
   * @default none (`RUNLEDGER_CLIENT_CERT_FILE`)
   */
  clientCertFile?: string
  /** PEM file of that certificate's private key, without a passphrase. @default none (`RUNLEDGER_CLIENT_KEY_FILE`) */
  clientKeyFile?: string
  /**
   * Texts and patterns that are masked in names, messages, variables, logs and text attachments, beside secrets that
   * are known: values of variables with secret names, and well-known tokens. A text between slashes is a pattern.
   * @default none (`RUNLEDGER_REDACT`, separated by commas, or a JSON array)
   */
  redact?: (string | RegExp)[]
  /**
   * Write to the CI's pages: a table in GitHub's job summary or on the page of Azure's build, and the step output `runUrl`.
   * @default true (`RUNLEDGER_SUMMARY`)
   */
  summary?: boolean
  /** Mark failed tests in the code that GitHub and Azure show. @default false (`RUNLEDGER_ANNOTATIONS`) */
  annotations?: boolean
  /**
   * File to which `runUrl=<link>` is added, for GitLab's `artifacts:reports:dotenv`; relative to the project root.
   * @default none (`RUNLEDGER_OUTPUT_FILE`)
   */
  outputFile?: string
  /**
   * File of links for the job's page on GitLab (`artifacts:reports:annotations`); relative to the project root.
   * @default none (`RUNLEDGER_LINKS_FILE`)
   */
  linksFile?: string
  /** Path of run creation, for services that differ. @default '/v1/runs/create' (`RUNLEDGER_CREATE_PATH`) */
  createPath?: string
  /**
   * Path of run update, `{id}` standing for the run's id, for services that differ.
   * @default '/v2/runs/{id}' (`RUNLEDGER_UPDATE_PATH`)
   */
  updatePath?: string
  /** Record nothing and send nothing. @default false (`RUNLEDGER_DISABLED`) */
  disabled?: boolean
}

export type Environment = Record<string, string | undefined>
