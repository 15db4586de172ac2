/** Longest text without a limit of its own, in UTF-16 code units. */
export const MAX_TEXT_LENGTH = 10_000

/** Longest identifier of a procedure or a deployment, in UTF-16 code units. */
export const MAX_IDENTIFIER_LENGTH = 255

/** Longest serial number, part number, revision or version, in UTF-16 code units. */
export const MAX_NUMBER_LENGTH = 60

/** Longest batch number. */
export const MAX_BATCH_NUMBER_LENGTH = 100

/** Longest name of an attachment. */
export const MAX_ATTACHMENT_NAME_LENGTH = 255

/** Longest group of a build, and most other texts in the notice of an execution. */
export const MAX_SHORT_LENGTH = 255

/** Longest address in the notice of an execution. */
export const MAX_ADDRESS_LENGTH = 2_000
