throw Object.assign(new Error(''), { stack: '' })
