throw { code: 7 }
