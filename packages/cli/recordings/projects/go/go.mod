module example.com/lamp

go 1.19
