import { describe } from 'vitest'

describe('empty', () => {})
