module bench/closed-loop

go 1.26.0
