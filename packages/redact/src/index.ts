/** Finds secrets in texts and bytes: by the variables that hold them, by the shapes of tokens, by the user's patterns. */
export { copyMasked, deriveTextKind, maskBytes, type MaskText, type TextKind } from './mask-bytes'
export { MASK, Masker, type NoteSecret } from './masker'
export { parsePatterns, PatternSearch } from './pattern-search'
export { stripEscapes } from './plain-text'
export { isSecretName, listSecretValues, spellSecrets } from './secret-values'
