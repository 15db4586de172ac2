import type { Chapter } from './behaviour'
import { LOADING } from './behaviours/loading'

/** Every behaviour, in the order of FEATURES.md. */
export const CHAPTERS: Chapter[] = [LOADING]
